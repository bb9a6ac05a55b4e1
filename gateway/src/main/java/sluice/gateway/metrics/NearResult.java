package sluice.gateway.metrics;

/** Result of a read on a rule with a near cache. */
public enum NearResult {
  /** Answered by the cache. */
  HIT,
  /** Sent to its server. */
  MISS,
  /** Waited for another read of the same key. */
  SHARED
}
