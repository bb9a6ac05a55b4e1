package sluice.perf.simulation.history;

/** How much a rule promises to clients that use the same key. */
public enum Promise {
  /** All replies show one order of the changes: what one has shown, later ones build on. */
  ORDER,
  /** The same, but a change that failed may be shown, and then hidden again by a cache. */
  ORDER_UNLESS_FAILED,
  /**
   * Nothing older than a change that was answered. While a change is in progress, and after one
   * that failed, replies may show it or not, in any order.
   */
  ANSWERED
}
