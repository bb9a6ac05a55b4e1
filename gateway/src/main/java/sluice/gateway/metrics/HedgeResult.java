package sluice.gateway.metrics;

/** Result of a read that its own pool did not answer in time. */
public enum HedgeResult {
  /** The other pool answered first. */
  WON,
  /** Its own pool answered first. */
  LOST,
  /** Neither pool answered. */
  FAILED,
  /** It was not sent again: the budget was spent. */
  OVER_BUDGET,
  /** It was not sent again: the other pool had no connection for it. */
  SKIPPED
}
