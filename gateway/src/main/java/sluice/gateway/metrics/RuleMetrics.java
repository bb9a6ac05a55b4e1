package sluice.gateway.metrics;

/**
 * Counters of one event loop for one rule of a route. Only that loop's thread counts, which
 * allocates nothing.
 */
public final class RuleMetrics {
  private final SingleWriterCounters keys = new SingleWriterCounters(1);
  private final TimeHistogram requestTime = new TimeHistogram();

  RuleMetrics() {}

  /** Counts a key, or a request without one, that the rule decided. */
  public void matched() {
    keys.add(0, 1);
  }

  /** Records the request time of an answered request; of one with several keys, the last counts. */
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
