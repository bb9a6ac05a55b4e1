package sluice.gateway.differential;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Sends operations to both sides, on empty servers, and compares all that a client can see. */
final class Round {
  /**
   * How far apart two times may be: the second may change between two executions, and between two
   * reads. What a slow machine adds to that is measured.
   */
  private static final long SECONDS_APART = 2;

  // What is overwritten soon is seen as well.
  private static final int BATCHES_BETWEEN_LOOKS = 15;

  /** What one side is sent for a batch. */
  private record Batch(List<Operation> operations, byte[] bytes) {}

  private final Arena arena;
  private final Dialect dialect;
  private final List<Rule> rules;
  private final Random cuts;
  private final CasMap cas = new CasMap();
  private final Set<String> applied = new HashSet<>();
  private long longestBatchNanos;
  private Wire direct;
  private Wire through;

  /** A round of a client of this dialect; what differs rightly is in the rules. */
  Round(Arena arena, Dialect dialect, List<Rule> rules, long seed) {
    this.arena = arena;
    this.dialect = dialect;
    this.rules = rules;
    this.cuts = new Random(seed);
  }

  /** The first difference in words; null where there is none. */
  String run(List<Operation> operations) throws IOException {
    arena.empty();
    try {
      connect();
      int batches = 0;
      int from = 0;
      while (from < operations.size()) {
        int to = from + 1;
        while (to < operations.size()
            && !operations.get(to).startsBatch()
            && operations.get(to - 1).answer() != Answer.CLOSES) {
          to++;
        }
        String difference = batch(operations.subList(from, to));
        batches++;
        if (difference == null && batches % BATCHES_BETWEEN_LOOKS == 0) {
          difference = contents();
        }
        if (difference != null) {
          return difference;
        }
        from = to;
      }
    } finally {
      disconnect();
    }
    return contents();
  }

  /** Names of the rules that were needed. */
  Set<String> applied() {
    return applied;
  }

  private void connect() throws IOException {
    direct = new Wire(dialect, arena.direct());
    through = new Wire(dialect, arena.through());
  }

  private void disconnect() throws IOException {
    if (direct != null) {
      direct.close();
    }
    if (through != null) {
      through.close();
    }
  }

  private String batch(List<Operation> operations) throws IOException {
    List<Operation> atDirect = new ArrayList<>();
    List<Operation> atThrough = new ArrayList<>();
    for (Operation operation : operations) {
      boolean refused = refusal(operation) != null;
      boolean silent = operation.answer() == Answer.NEVER;
      atDirect.add(refused ? inPlaceOf(operation) : reduced(operation));
      atThrough.add(refused && !silent ? operation.answering(Answer.ALWAYS) : operation);
    }
    boolean closes = operations.get(operations.size() - 1).answer() == Answer.CLOSES;
    long begin = System.nanoTime();
    send(direct, batch(atDirect, true), closes);
    send(through, batch(atThrough, false), closes);
    Wire.pending(arena.selector(), direct, through);
    longestBatchNanos = Math.max(longestBatchNanos, System.nanoTime() - begin);
    String difference =
        compare(
            operations,
            Replies.divide(atDirect, direct.heard()),
            Replies.divide(atThrough, through.heard()));
    if (difference == null && closes) {
      disconnect();
      connect();
    }
    return difference;
  }

  private Batch batch(List<Operation> operations, boolean isDirect) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (Operation operation : operations) {
      CasMap.Pair numbers = cas.choose(operation);
      operation.write(out, isDirect ? numbers.direct() : numbers.through());
      if (operation.answer() == Answer.FENCED) {
        Operation.fence(dialect, operation.number()).write(out, 0);
      }
    }
    if (operations.get(operations.size() - 1).answer() != Answer.CLOSES) {
      Operation.fence(dialect, -1).write(out, 0);
    }
    return new Batch(operations, out.toByteArray());
  }

  private void send(Wire wire, Batch batch, boolean closes) {
    int fences = 1 + (int) batch.operations().stream().filter(Operation::isFence).count();
    wire.send(batch.bytes(), fences, closes, cuts);
  }

  private Outcome.Refused refusal(Operation operation) {
    if (Features.isTooLarge(operation)) {
      return null;
    }
    for (Rule rule : rules) {
      if (rule.outcome() instanceof Outcome.Refused refused && rule.applies().test(operation)) {
        applied.add(rule.what());
        return refused;
      }
    }
    return null;
  }

  private Operation inPlaceOf(Operation operation) {
    return operation.answer() == Answer.NEVER
        ? LineOperation.nothing(operation.number())
        : Operation.fence(dialect, operation.number());
  }

  private Operation reduced(Operation operation) {
    Operation reduced = operation;
    for (Rule rule : rules) {
      if (rule.outcome() instanceof Outcome.As as && rule.applies().test(operation)) {
        applied.add(rule.what());
        reduced = as.other().apply(reduced);
      }
    }
    return reduced;
  }

  private List<Unit> told(Operation operation, List<Unit> reply) {
    List<Unit> told = reply;
    for (Rule rule : rules) {
      if (rule.outcome() instanceof Outcome.Told other && rule.applies().test(operation)) {
        applied.add(rule.what());
        told = other.reply().apply(operation, told);
      }
    }
    return told;
  }

  private String compare(
      List<Operation> operations, List<List<Unit>> atDirect, List<List<Unit>> atThrough) {
    for (int i = 0; i < operations.size(); i++) {
      Operation operation = operations.get(i);
      Outcome.Refused refused = refusal(operation);
      List<Unit> expected =
          refused == null
              ? told(operation, atDirect.get(i))
              : operation.answer() == Answer.NEVER ? List.of() : refused.reply().apply(operation);
      String key = operation.keys().isEmpty() ? "" : operation.keys().get(0).raw();
      String difference = difference(key, expected, atThrough.get(i));
      if (difference != null) {
        return "operation %d, %s: %s%nbatch: %s%n   and: %s"
            .formatted(operation.number(), operation, difference, direct.heard(), through.heard());
      }
    }
    String difference =
        difference("", atDirect.get(operations.size()), atThrough.get(operations.size()));
    return difference == null ? null : "behind the last operation: " + difference;
  }

  private String contents() throws IOException {
    List<Key> keys = Operations.keys(dialect);
    Map<String, List<Unit>> held = Contents.read(arena, List.of(arena.direct()), keys);
    Map<String, List<Unit>> behind = Contents.read(arena, arena.readable(), keys);
    for (Map.Entry<String, List<Unit>> entry : held.entrySet()) {
      String key = entry.getKey();
      String difference = difference(key, entry.getValue(), behind.get(key));
      if (difference != null) {
        return "contents of %s: %s".formatted(Escapes.of(key), difference);
      }
    }
    return null;
  }

  private String difference(String key, List<Unit> expected, List<Unit> found) {
    boolean same = expected.size() == found.size();
    String why = "";
    for (int i = 0; same && i < expected.size(); i++) {
      Unit one = expected.get(i);
      Unit other = found.get(i);
      same = one.text().equals(other.text()) && java.util.Objects.equals(one.data(), other.data());
      same = same && nearby(one.times(), other.times()) && one.cas().size() == other.cas().size();
      for (int j = 0; same && j < one.cas().size(); j++) {
        String owner = one.text().startsWith("VALUE ") ? one.text().split(" ")[1] : key;
        String wrong = cas.learn(owner, one.cas().get(j), other.cas().get(j));
        same = wrong == null;
        why = same ? "" : " (" + wrong + ")";
      }
    }
    return same ? null : "expected " + expected + ", found " + found + why;
  }

  private boolean nearby(List<Long> one, List<Long> other) {
    long most = SECONDS_APART + TimeUnit.NANOSECONDS.toSeconds(longestBatchNanos);
    boolean near = one.size() == other.size();
    for (int i = 0; near && i < one.size(); i++) {
      near = Math.abs(one.get(i) - other.get(i)) <= most;
    }
    return near;
  }
}
