package sluice.gateway.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counters with one writing thread and any number of reading threads.
 *
 * <p>Opaque access suffices: every value is written whole and becomes visible eventually. On the
 * processors that we support it costs as much as a plain store. There is no read-modify-write
 * instruction, so two writing threads would lose counts.
 */
final class SingleWriterCounters {
  private static final VarHandle ELEMENT =
      MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

  /**
   * Two cache lines (the pair that is prefetched together) between these counters and the next
   * object.
   */
  private static final int PADDING = 16;

  private final long[] cells;
  private final int size;

  SingleWriterCounters(int size) {
    this.size = size;
    this.cells = new long[PADDING + size + PADDING];
  }

  int size() {
    return size;
  }

  /** Called by the one writing thread only. */
  void add(int index, long amount) {
    int cell = PADDING + index;
    ELEMENT.setOpaque(cells, cell, cells[cell] + amount);
  }

  /** From any thread. */
  long get(int index) {
    return (long) ELEMENT.getOpaque(cells, PADDING + index);
  }

  /** Adds every counter to {@code sums}; from any thread. */
  void addTo(long[] sums) {
    for (int i = 0; i < size; i++) {
      sums[i] += get(i);
    }
  }
}
