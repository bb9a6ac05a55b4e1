package sluice.gateway.metrics;

import java.util.Locale;

/**
 * Reads that a near cache was asked for, on one event loop. Everything that counts is called by
 * that loop's thread only and allocates nothing.
 */
public final class NearMetrics {
  /** What became of a read. */
  public enum Result {
    /** Answered by the cache. */
    HIT,
    /** Sent to its server. */
    MISS,
    /** Waited for another read of the same key. */
    SHARED;

    static final int COUNT = values().length;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** As it is written in metrics. */
    public String label() {
      return label;
    }
  }

  private static final int KEPT = Result.COUNT;
  private static final int EVICTED = KEPT + 1;

  private final SingleWriterCounters counters = new SingleWriterCounters(EVICTED + 1);

  NearMetrics() {}

  /** Counts one more. */
  @SuppressWarnings("EnumOrdinal") // lives no longer than the process
  public void count(Result result) {
    counters.add(result.ordinal(), 1);
  }

  /** A reply is kept, for which others were thrown out. */
  public void kept(int evicted) {
    counters.add(KEPT, 1);
    counters.add(EVICTED, evicted);
  }

  /** How many so far; from any thread. */
  @SuppressWarnings("EnumOrdinal")
  public long counted(Result result) {
    return counters.get(result.ordinal());
  }

  /** Replies kept so far; from any thread. */
  public long kept() {
    return counters.get(KEPT);
  }

  /** Items thrown out for others so far; from any thread. */
  public long evicted() {
    return counters.get(EVICTED);
  }
}
