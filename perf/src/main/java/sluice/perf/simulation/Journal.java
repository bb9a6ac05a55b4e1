package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.HashMap;
import java.util.Map;
import sluice.perf.simulation.system.Simulator;
import sluice.testkit.model.ModelWrites;

/**
 * Writes that servers have carried out. Each write of a checked client has flags of its own, which
 * also a value that is compressed, or in chunks, keeps. What is appended or prepended differs, too.
 */
final class Journal implements ModelWrites {
  /** Bits of the flags that gateways set where they change the value. */
  static final long MARKS = 0x30000;

  /** A time to live that has passed, as a second of 1970: the first that is not one from now on. */
  static final int PAST = 30 * 24 * 60 * 60 + 1;

  private static final class Entry {
    final int most; // servers that may carry out a write
    final long leastTimeToLive;
    final long mostTimeToLive;
    final int losses; // when the key was new
    final Map<Object, Integer> times = new HashMap<>(); // by flags, or by what was added

    Entry(int most, long leastTimeToLive, long mostTimeToLive, int losses) {
      this.most = most;
      this.losses = losses;
      this.leastTimeToLive = leastTimeToLive;
      this.mostTimeToLive = mostTimeToLive;
    }
  }

  private final Simulator simulator;
  private final Map<String, Entry> entries = new HashMap<>(); // by key
  private boolean complete;
  private int losses;

  Journal(Simulator simulator) {
    this.simulator = simulator;
  }

  /** All servers report what they carry out. */
  void isComplete() {
    complete = true;
  }

  /** A server has lost its items, or keys have moved to other servers. */
  void lost() {
    losses++;
  }

  /**
   * A checked client begins to use a key.
   *
   * @param most how many servers may carry out each write
   * @param leastTimeToLive the least that servers may be told, in seconds
   * @param mostTimeToLive the most
   */
  void follow(String key, int most, long leastTimeToLive, long mostTimeToLive) {
    entries.put(key, new Entry(most, leastTimeToLive, mostTimeToLive, losses));
  }

  @Override
  public void stored(String key, long flags) {
    carriedOut(key, flags & ~MARKS);
  }

  @Override
  public void joined(String key, byte[] added) {
    carriedOut(key, new String(added, ISO_8859_1));
  }

  @Override
  public void lives(String key, long seconds) {
    Entry entry = entries.get(key);
    if (seconds < 0 || seconds == PAST) {
      return; // the item is to go
    }
    if (entry != null && (seconds < entry.leastTimeToLive || seconds > entry.mostTimeToLive)) {
      simulator.finding("key " + key + ": a server was told a time to live of " + seconds + " s");
    }
  }

  private void carriedOut(String key, Object write) {
    Entry entry = entries.get(key);
    if (entry == null) {
      return;
    }
    int times = entry.times.merge(write, 1, Integer::sum);
    // A cold server that has not got the item any more is filled again.
    boolean isFilledAgain = key.startsWith(Rule.WARMED.prefix()) && losses > entry.losses;
    if (times > entry.most && !isFilledAgain) {
      simulator.finding("key " + key + ": a write was carried out " + times + " times: " + write);
    }
  }

  /** Whether a write of a value with these flags may have been carried out. */
  boolean mayHold(String key, long flags) {
    return mayHave(key, flags & ~MARKS);
  }

  /** Whether a server has told that it carried out a write of a value with these flags. */
  boolean isCarriedOut(String key, long flags) {
    Entry entry = entries.get(key);
    return entry != null && entry.times.containsKey(flags & ~MARKS);
  }

  /** Whether something may have been appended or prepended. */
  boolean mayHold(String key, String added) {
    return mayHave(key, added);
  }

  private boolean mayHave(String key, Object write) {
    Entry entry = entries.get(key);
    return !complete || entry == null || entry.times.containsKey(write);
  }
}
