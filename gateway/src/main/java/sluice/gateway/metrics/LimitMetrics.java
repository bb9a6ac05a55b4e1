package sluice.gateway.metrics;

/**
 * Requests that were over a rule's limit, on one event loop. What counts is called by that loop's
 * thread only and allocates nothing.
 */
public final class LimitMetrics {
  private final SingleWriterCounters counters = new SingleWriterCounters(1);

  LimitMetrics() {}

  /** So many more have not passed. */
  public void limited(int requests) {
    counters.add(0, requests);
  }

  /** How many so far; from any thread. */
  public long limited() {
    return counters.get(0);
  }
}
