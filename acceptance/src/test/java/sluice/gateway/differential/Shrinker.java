package sluice.gateway.differential;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Leaves out operations for as long as the rest still differs. */
final class Shrinker {
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Runs operations; null where nothing differs. */
  interface Trial {
    String run(List<Operation> operations) throws IOException;
  }

  private Shrinker() {}

  /** As few of the operations as are found to differ, in their order. */
  static List<Operation> shrink(List<Operation> operations, Trial trial) throws IOException {
    long end = System.nanoTime() + LIMIT_NANOS;
    List<Operation> least = operations;
    int size = Math.max(1, least.size() / 2);
    while (size > 0) {
      boolean smaller = false;
      for (int from = least.size() - size; from > -size; from -= size) {
        if (System.nanoTime() - end > 0) {
          return least;
        }
        List<Operation> fewer =
            without(least, Math.max(from, 0), Math.min(from + size, least.size()));
        if (!fewer.isEmpty() && trial.run(fewer) != null) {
          least = fewer;
          smaller = true;
        }
      }
      size = smaller && size == 1 ? 1 : size / 2;
    }
    return least;
  }

  // What waited for earlier replies still does: the start of a batch stays where it was.
  private static List<Operation> without(List<Operation> operations, int from, int to) {
    List<Operation> left = new ArrayList<>(operations.subList(0, from));
    boolean startsBatch = false;
    for (int i = from; i < operations.size(); i++) {
      Operation operation = operations.get(i);
      if (i < to) {
        startsBatch |= operation.startsBatch();
      } else {
        left.add(i == to && startsBatch ? operation.startingBatch() : operation);
      }
    }
    return left;
  }
}
