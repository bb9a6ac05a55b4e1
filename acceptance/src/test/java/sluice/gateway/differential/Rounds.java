package sluice.gateway.differential;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Rounds one after the other, each from the seed behind the last one's. */
final class Rounds {
  /** How many operations a round has. */
  static final int OF_A_ROUND = 300;

  private final Arena arena;
  private final Dialect dialect;
  private final List<Rule> rules;
  private final long epoch = System.currentTimeMillis() / 1000;
  private final Set<String> applied = new TreeSet<>();
  private Predicate<Operation> filter = operation -> true;
  private boolean shrinks = true;

  Rounds(Arena arena, Dialect dialect, List<Rule> rules) {
    this.arena = arena;
    this.dialect = dialect;
    this.rules = rules;
  }

  /** Only such operations are sent. */
  Rounds only(Predicate<Operation> wanted) {
    filter = wanted;
    return this;
  }

  /** What differs is told as it is found. */
  Rounds withoutShrinking() {
    shrinks = false;
    return this;
  }

  /** Names of the rules that were needed so far. */
  Set<String> applied() {
    return applied;
  }

  /** Sends that many operations; what differs first, as small as it is found, or null. */
  String run(long firstSeed, long count) throws IOException {
    long seed = firstSeed;
    for (long left = count; left > 0; left -= OF_A_ROUND) {
      List<Operation> operations = wanted(Operations.make(dialect, seed, epoch, OF_A_ROUND));
      String difference = run(operations, seed);
      if (difference != null) {
        return shrinks ? report(operations, seed, difference) : difference;
      }
      seed++;
    }
    return null;
  }

  // What waits for earlier replies still does, though the operation that began its batch is not
  // sent.
  private List<Operation> wanted(List<Operation> made) {
    List<Operation> wanted = new ArrayList<>();
    boolean startsBatch = false;
    for (Operation operation : made) {
      startsBatch |= operation.startsBatch();
      if (filter.test(operation)) {
        wanted.add(startsBatch ? operation.startingBatch() : operation);
        startsBatch = false;
      }
    }
    return wanted;
  }

  private String run(List<Operation> operations, long seed) throws IOException {
    Round round = new Round(arena, dialect, rules, seed);
    String difference = round.run(operations);
    applied.addAll(round.applied());
    return difference;
  }

  private String report(List<Operation> operations, long seed, String difference)
      throws IOException {
    List<Operation> least = Shrinker.shrink(operations, fewer -> run(fewer, seed));
    String lines =
        least.stream()
            .map(operation -> (operation.startsBatch() ? "- " : "  ") + operation)
            .collect(Collectors.joining("\n"));
    return "seed %d: %s\n\nthe least that differs (- starts a batch):\n%s\n%s\n"
        .formatted(seed, difference.lines().findFirst().orElseThrow(), lines, run(least, seed));
  }
}
