package sluice.gateway.suite;

import static java.util.concurrent.TimeUnit.MINUTES;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import sluice.gateway.fixtures.Vector;

/**
 * Replays recorded cases, each against a server that nobody used before: many at a time, as a case
 * mostly waits. A batch has one gateway with a listener for each case.
 */
final class VectorReplay {
  private static final Pattern SERVER = Pattern.compile("server 127\\.0\\.0\\.1:(\\d+|#)");
  private static final Pattern LENGTH = Pattern.compile("\\(\\d+ bytes\\)$");
  private static final Pattern TTL = Pattern.compile("(?<= )t(\\d+)");
  // Seconds since the last access: flag l of meta, and la of "me". They grow.
  private static final Pattern AGE = Pattern.compile("(?<= )(?:l|la=)(\\d+)(?= |\\\\r)");

  /** Adds the listener of one case, and the server behind it; returns what to close afterwards. */
  interface FreshServers {
    /** Called from several threads. */
    AutoCloseable serve(Topology topology, String listener, Vector vector);
  }

  /** What differed from what was recorded, or why that is not known. */
  private record Outcome(List<String> differences, List<Vector.Reply> heard, Throwable failure) {}

  private static final int BATCH = 48;
  private static final Duration VOLATILE_SILENCE = Duration.ofMillis(250);
  private static final int LISTS_SETTLED_MILLIS = 1_500;
  private static final byte[] TEXT_FENCE = "mn\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TEXT_FENCE_REPLY = "MN\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] BINARY_FENCE =
      HexFormat.of().parseHex("800a00000000000000000000fe9ce0fe0000000000000000");
  private static final byte[] BINARY_FENCE_REPLY =
      HexFormat.of().parseHex("810a00000000000000000000fe9ce0fe0000000000000000");

  private final Supplier<GatewayUnderTest> gateways;
  private final FreshServers servers;
  private final String version;
  private final Duration patience;
  private volatile Map<String, List<Vector.Reply>> answers = Map.of();

  /**
   * A replay that expects the replies that this version gave, and waits for each byte of them no
   * longer than {@code patience}.
   */
  VectorReplay(
      Supplier<GatewayUnderTest> gateways,
      FreshServers servers,
      String version,
      Duration patience) {
    this.gateways = gateways;
    this.servers = servers;
    this.version = version;
    this.patience = patience;
  }

  /** One test a case, which is to be answered as recorded. */
  List<DynamicTest> tests(List<Vector> vectors) {
    return tests(vectors, new VectorExceptions(Map.of(), Map.of(), Map.of()));
  }

  /**
   * One test a case. A case that the list of exceptions names has to be answered as the list of
   * answers says, and that has to differ from what was recorded: an exception that is none any more
   * has to leave the list.
   */
  List<DynamicTest> tests(List<Vector> vectors, VectorExceptions listed) {
    Map<String, String> exceptions = listed.cases();
    Map<String, CompletableFuture<Outcome>> outcomes = new ConcurrentHashMap<>();
    for (Vector vector : vectors) {
      outcomes.put(vector.name(), new CompletableFuture<Outcome>().orTimeout(5, MINUTES));
    }
    answers = listed.answers();
    Thread replay = new Thread(() -> replayAll(vectors, outcomes), "replay");
    replay.setDaemon(true);
    replay.start();
    return vectors.stream()
        .map(
            vector ->
                DynamicTest.dynamicTest(
                    vector.name(),
                    () -> judge(vector, outcomes.get(vector.name()).join(), exceptions)))
        .toList();
  }

  private void judge(Vector vector, Outcome outcome, Map<String, String> exceptions) {
    if (outcome.failure() != null) {
      throw new AssertionError(vector + " was not replayed", outcome.failure());
    }
    List<String> differences = outcome.differences();
    String reason = exceptions.get(vector.name());
    if (reason == null && !differences.isEmpty()) {
      throw new AssertionError(vector + ", " + String.join("\n", differences));
    }
    if (reason == null || reason.startsWith(VectorExceptions.SOMETIMES)) {
      return;
    }
    List<Vector.Reply> answer = answers.get(vector.name());
    if (answer == null || !differences.isEmpty()) {
      throw new AssertionError(
          vector
              + " is not answered as its exception says ("
              + reason
              + "). If this answer is right, the list of answers needs the line\n"
              + VectorAnswers.line(vector.name(), outcome.heard())
              + "\n"
              + String.join("\n", differences));
    }
    if (isRecorded(vector, answer)) {
      throw new AssertionError(
          vector
              + " is answered as recorded, so the list of exceptions must not name it any more: "
              + reason);
    }
  }

  private boolean isRecorded(Vector vector, List<Vector.Reply> answer) {
    for (int i = 0; i < answer.size(); i++) {
      Vector.Reply recorded = vector.steps().get(i).replies().get(version);
      Vector.Reply reply = answer.get(i);
      if (reply != null
          && (reply.closed() != recorded.closed()
              || !Arrays.equals(reply.bytes(), recorded.bytes()))) {
        return false;
      }
    }
    return true;
  }

  private void replayAll(List<Vector> vectors, Map<String, CompletableFuture<Outcome>> outcomes) {
    // Those that wait long wait together, in the first batches; also for what they will not hear.
    List<Vector> ordered =
        vectors.stream()
            .sorted(Comparator.comparingInt(VectorReplay::delayMillis).reversed())
            .toList();
    ExecutorService threads = Executors.newFixedThreadPool(BATCH);
    try {
      for (int from = 0; from < ordered.size(); from += BATCH) {
        replayBatch(
            ordered.subList(from, Math.min(from + BATCH, ordered.size())), outcomes, threads);
      }
    } finally {
      threads.shutdown();
    }
  }

  // What a case is judged by is known when its gateway and its server are gone: nothing of the
  // replay outlives the tests.
  private void replayBatch(
      List<Vector> batch,
      Map<String, CompletableFuture<Outcome>> outcomes,
      ExecutorService threads) {
    Map<Vector, Outcome> replayed = new HashMap<>();
    try {
      replayed.putAll(replayTogether(batch, threads));
    } catch (RuntimeException | Error e) {
      batch.forEach(vector -> replayed.put(vector, new Outcome(List.of(), List.of(), e)));
    }
    replayed.forEach((vector, outcome) -> outcomes.get(vector.name()).complete(outcome));
  }

  private Map<Vector, Outcome> replayTogether(List<Vector> batch, ExecutorService threads) {
    List<AutoCloseable> started = new ArrayList<>();
    try (GatewayUnderTest gateway = gateways.get()) {
      Topology topology = new Topology();
      for (Vector vector : batch) {
        started.add(servers.serve(topology, listener(batch, vector), vector));
      }
      gateway.start(topology.yaml());
      Map<Vector, CompletableFuture<Outcome>> replays = new HashMap<>();
      for (Vector vector : batch) {
        InetSocketAddress address = gateway.address(listener(batch, vector));
        replays.put(vector, CompletableFuture.supplyAsync(() -> outcome(vector, address), threads));
      }
      Map<Vector, Outcome> replayed = new HashMap<>();
      replays.forEach((vector, replay) -> replayed.put(vector, replay.join()));
      return replayed;
    } finally {
      started.forEach(VectorReplay::close);
    }
  }

  private Outcome outcome(Vector vector, InetSocketAddress address) {
    List<Vector.Reply> heard = new ArrayList<>();
    try {
      return new Outcome(replay(vector, address, heard), heard, null);
    } catch (IOException e) { // what a client would see of a gateway that fails it
      return new Outcome(List.of(e.toString()), heard, null);
    } catch (InterruptedException | RuntimeException | Error e) {
      return new Outcome(List.of(), heard, e);
    }
  }

  private static String listener(List<Vector> batch, Vector vector) {
    return "case" + batch.indexOf(vector);
  }

  /** What differs from what was recorded; nothing when all is as it was. */
  private List<String> replay(Vector vector, InetSocketAddress address, List<Vector.Reply> heard)
      throws IOException, InterruptedException {
    for (byte[] request : vector.setup()) {
      prepare(address, request);
    }
    Thread.sleep(delayAfterSetupMillis(vector));
    List<String> differences = new ArrayList<>();
    try (Conversation conversation = new Conversation(address, patience)) {
      for (int i = 0; i < vector.steps().size(); i++) {
        Vector.Step step = vector.steps().get(i);
        Thread.sleep(step.delayBeforeMillis());
        conversation.send(step.writes());
        heard.add(compare(vector, i, step, conversation, differences));
      }
    }
    return differences;
  }

  // Fenced, so that it is known when the server has seen all of it: replies to it were not
  // recorded.
  private static void prepare(InetSocketAddress address, byte[] request)
      throws IOException, InterruptedException {
    boolean binary = request[0] == (byte) 0x80;
    try (Conversation conversation = new Conversation(address)) {
      conversation.send(List.of(request));
      conversation.send(List.of(binary ? BINARY_FENCE : TEXT_FENCE));
      conversation.hearUntil(binary ? BINARY_FENCE_REPLY : TEXT_FENCE_REPLY);
    }
  }

  /** Returns what was heard; null if it is as recorded. */
  private Vector.Reply compare(
      Vector vector,
      int index,
      Vector.Step step,
      Conversation conversation,
      List<String> differences)
      throws IOException {
    Vector.Reply recorded = step.replies().get(version);
    List<Vector.Reply> answer = answers.get(vector.name());
    boolean asRecorded = answer == null || index >= answer.size() || answer.get(index) == null;
    Vector.Reply expected = asRecorded ? recorded : answer.get(index);
    String wanted;
    String got;
    Vector.Reply reply;
    if (vector.isVolatile()) {
      int atLeast = Math.min(1, expected.bytes().length);
      reply = conversation.hear(atLeast, expected.closed(), VOLATILE_SILENCE);
      wanted = VolatileReply.mask(vector, expected.bytes());
      got = VolatileReply.mask(vector, reply.bytes());
    } else {
      reply = conversation.hear(expected.bytes().length, expected.closed());
      wanted = Escaped.of(expected.bytes());
      got = Escaped.of(reply.bytes());
    }
    boolean same =
        vector.isVolatile()
            ? wanted.equals(got)
            : Arrays.equals(expected.bytes(), reply.bytes())
                || differByASecond(wanted, got)
                || withoutPorts(wanted).equals(withoutPorts(got));
    if (!same || expected.closed() != reply.closed()) {
      differences.add(
          String.format(
              "step %d: %s%n-> %s%s%nexpected %s%s",
              index,
              step.writes().stream().limit(8).map(Escaped::of).collect(Collectors.joining(" + ")),
              got,
              reply.closed() ? " and closed" : "",
              wanted,
              expected.closed() ? " and closed" : ""));
      return reply;
    }
    return asRecorded ? null : reply;
  }

  /** Errors name a server as the configuration does, which here is an address. */
  private static String withoutPorts(String reply) {
    return LENGTH.matcher(SERVER.matcher(reply).replaceAll("server 127.0.0.1:#")).replaceAll("");
  }

  // `t99` is a byte shorter than `t100`.
  private static String withoutTimes(String reply) {
    String withoutTtls = TTL.matcher(reply).replaceAll("t#");
    return LENGTH.matcher(AGE.matcher(withoutTtls).replaceAll("l#")).replaceAll("");
  }

  /** Whether all that differs is a second that passed between two requests. */
  static boolean differByASecond(String wanted, String got) {
    return withoutTimes(wanted).equals(withoutTimes(got))
        && differAtMostByASecond(TTL, got, wanted)
        && differAtMostByASecond(AGE, wanted, got);
  }

  /** Whether each number of the second text is the one of the first, or one more. */
  private static boolean differAtMostByASecond(Pattern numbers, String low, String high) {
    Matcher lower = numbers.matcher(low);
    Matcher higher = numbers.matcher(high);
    while (lower.find() && higher.find()) {
      long more = Long.parseLong(higher.group(1)) - Long.parseLong(lower.group(1));
      if (more != 0 && more != 1) {
        return false;
      }
    }
    return true;
  }

  private static void close(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  // A volatile case may show on which of its lists the server keeps a new item, and the thread that
  // moves items between them sleeps for up to a second.
  private static int delayAfterSetupMillis(Vector vector) {
    return vector.isVolatile() && !vector.setup().isEmpty()
        ? LISTS_SETTLED_MILLIS
        : vector.delayAfterSetupMillis();
  }

  private static int delayMillis(Vector vector) {
    return delayAfterSetupMillis(vector)
        + vector.steps().stream().mapToInt(Vector.Step::delayBeforeMillis).sum();
  }
}
