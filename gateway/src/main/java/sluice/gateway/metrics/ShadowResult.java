package sluice.gateway.metrics;

/** Result of the copy of a request for a shadow, which may also be skipped. */
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
