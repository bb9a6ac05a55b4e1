package sluice.gateway.metrics;

import java.util.Locale;

/**
 * Copies that a shadow got, or did not get, on one event loop. Everything that counts is called by
 * that loop's thread only and allocates nothing.
 */
public final class ShadowMetrics {
  /** What became of the copy of a request. */
  public enum Result {
    /** Answered as the client was. */
    SAME,
    /** Answered otherwise. */
    DIFFERENT,
    /** Not answered. */
    FAILED,
    /** Not sent: the shadow could not take it at once. */
    SKIPPED;

    static final int COUNT = values().length;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** As it is written in metrics. */
    public String label() {
      return label;
    }
  }

  private final SingleWriterCounters counters = new SingleWriterCounters(Result.COUNT);

  ShadowMetrics() {}

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
