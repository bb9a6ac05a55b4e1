package sluice.gateway.metrics;

import java.util.Locale;

/**
 * Reads that were sent to a second pool, or were not, on one event loop. Everything that counts is
 * called by that loop's thread only and allocates nothing.
 */
public final class HedgeMetrics {
  /** What became of a read that its own pool did not answer in time. */
  public enum Result {
    /** The other pool answered first. */
    WON,
    /** Its own pool answered first. */
    LOST,
    /** Neither pool answered. */
    FAILED,
    /** It was not sent again: the budget was spent. */
    OVER_BUDGET,
    /** It was not sent again: the other pool had no connection for it. */
    SKIPPED;

    static final int COUNT = values().length;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** As it is written in metrics. */
    public String label() {
      return label;
    }
  }

  private final SingleWriterCounters counters = new SingleWriterCounters(Result.COUNT);

  HedgeMetrics() {}

  /** Counts one more. */
  @SuppressWarnings("EnumOrdinal") // lives no longer than the process
  public void count(Result result) {
    counters.add(result.ordinal(), 1);
  }

  /** How many so far; from any thread. */
  @SuppressWarnings("EnumOrdinal")
  public long counted(Result result) {
    return counters.get(result.ordinal());
  }
}
