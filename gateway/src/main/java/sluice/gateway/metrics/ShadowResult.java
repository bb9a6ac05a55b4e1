package sluice.gateway.metrics;

/** What became of the copy of a request that a shadow gets, or does not get. */
public enum ShadowResult {
  /** Answered as the client was. */
  SAME,
  /** Answered otherwise. */
  DIFFERENT,
  /** Not answered. */
  FAILED,
  /** Not sent: the shadow could not take it at once. */
  SKIPPED
}
