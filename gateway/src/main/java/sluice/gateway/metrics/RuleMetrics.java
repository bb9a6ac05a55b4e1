package sluice.gateway.metrics;

/**
 * Counters of one event loop for one rule of a route. Only that loop's thread counts, which
 * allocates nothing.
 */
public final class RuleMetrics {
  /** Requests for each one whose time is recorded: a histogram costs more than a counter. */
  static final int SAMPLE = 16;

  private final SingleWriterCounters keys = new SingleWriterCounters(1);
  private final TimeHistogram requestTime = new TimeHistogram();
  private int untilNext = 1; // matches until a time is recorded

  RuleMetrics() {}

  /**
   * Counts a key, or a request without one, that the rule decided.
   *
   * @return whether the time of its request is to be recorded
   */
  public boolean matched() {
    keys.add(0, 1);
    if (--untilNext > 0) {
      return false;
    }
    untilNext = SAMPLE;
    return true;
  }

  /** Records the time of an answered request, which {@link #matched} asked for. */
  public void answered(long nanos) {
    requestTime.record(nanos);
  }

  /** Number of matches; from any thread. */
  public long matches() {
    return keys.get(0);
  }

  TimeHistogram requestTime() {
    return requestTime;
  }
}
