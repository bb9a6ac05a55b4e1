package sluice.gateway.metrics;

/**
 * Counters of the near caches in front of one pool, on one event loop: the results of reads, and
 * replies that were kept. Only that loop's thread counts, which allocates nothing.
 */
public final class NearMetrics {
  private static final int KEPT = 0;
  private static final int EVICTED = 1;

  private final ResultCounters<NearResult> reads = new ResultCounters<>(NearResult.class);
  private final SingleWriterCounters replies = new SingleWriterCounters(2);

  NearMetrics() {}

  /** What became of reads. */
  public ResultCounters<NearResult> reads() {
    return reads;
  }

  /** A reply is kept, for which others were thrown out. */
  public void kept(int evicted) {
    replies.add(KEPT, 1);
    replies.add(EVICTED, evicted);
  }

  /** Replies kept so far; from any thread. */
  public long kept() {
    return replies.get(KEPT);
  }

  /** Items thrown out for others so far; from any thread. */
  public long evicted() {
    return replies.get(EVICTED);
  }
}
