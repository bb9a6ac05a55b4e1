package sluice.gateway.dispatch.policy;

/**
 * Budget for requests that are sent twice: each request adds to it, each second one takes from it.
 */
final class Allowance {
  /** The most that may be sent twice in a row, after a period with few. */
  private static final double MOST = 10;

  private final double share;
  private double left;

  /**
   * A full budget.
   *
   * @param share of the requests, 0 to 1
   */
  Allowance(double share) {
    this.share = share;
    left = share > 0 ? MOST : 0;
  }

  /** Counts a request. */
  void add() {
    left = Math.min(MOST, left + share);
  }

  /** Takes a second request from the budget; returns whether there was enough. */
  boolean take() {
    if (share >= 1) {
      return true;
    }
    if (left < 1) {
      return false;
    }
    left--;
    return true;
  }
}
