package sluice.gateway.dispatch.policy;

/** A share of requests that may be sent twice: each request adds to it, each second one takes. */
final class Allowance {
  /** So many may be sent twice at once, if few were before. */
  private static final double MOST = 10;

  private final double share;
  private double left;

  /**
   * An allowance that is full.
   *
   * @param share of the requests, 0 to 1
   */
  Allowance(double share) {
    this.share = share;
    left = share > 0 ? MOST : 0;
  }

  /** There is one more request. */
  void add() {
    left = Math.min(MOST, left + share);
  }

  /** Whether a request may be sent twice; it is then. */
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
