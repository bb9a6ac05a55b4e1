package sluice.gateway.metrics;

/** What became of a read that a near cache was asked for. */
public enum NearResult {
  /** Answered by the cache. */
  HIT,
  /** Sent to its server. */
  MISS,
  /** Waited for another read of the same key. */
  SHARED
}
