package sluice.gateway.metrics;

/**
 * Counter of requests over a rule's limit, on one event loop. Only that loop's thread counts, which
 * allocates nothing.
 */
public final class LimitMetrics {
  private final SingleWriterCounters counters = new SingleWriterCounters(1);

  LimitMetrics() {}

  /** Counts requests that were refused. */
  public void limited(int requests) {
    counters.add(0, requests);
  }

  /** The count; from any thread. */
  public long limited() {
    return counters.get(0);
  }
}
