package sluice.perf.simulation;

import java.util.HashMap;
import java.util.Map;
import sluice.perf.simulation.system.Simulator;

/**
 * Writes that servers have carried out. Each write of a checked client has flags of its own, which
 * also a value that is compressed, or in chunks, keeps.
 */
final class Journal {
  /** Bits of the flags that gateways set where they change the value. */
  static final long MARKS = 0x30000;

  private static final class Entry {
    final int most; // servers that may carry out a write
    final Map<Long, Integer> times = new HashMap<>(); // by flags

    Entry(int most) {
      this.most = most;
    }
  }

  private final Simulator simulator;
  private final Map<String, Entry> entries = new HashMap<>(); // by key
  private boolean complete;

  Journal(Simulator simulator) {
    this.simulator = simulator;
  }

  /** All servers report what they carry out. */
  void isComplete() {
    complete = true;
  }

  /**
   * A checked client begins to use a key.
   *
   * @param most how many servers may carry out each write
   */
  void follow(String key, int most) {
    entries.put(key, new Entry(most));
  }

  /** A server has carried out a write. */
  void carriedOut(String key, long flags) {
    Entry entry = entries.get(key);
    if (entry == null) {
      return;
    }
    int times = entry.times.merge(flags & ~MARKS, 1, Integer::sum);
    if (times > entry.most) {
      simulator.finding(
          "key " + key + ": a write was carried out " + times + " times, flags " + flags);
    }
  }

  /** Whether a write may have been carried out. */
  boolean mayHold(String key, long flags) {
    Entry entry = entries.get(key);
    return !complete || entry == null || entry.times.containsKey(flags & ~MARKS);
  }
}
