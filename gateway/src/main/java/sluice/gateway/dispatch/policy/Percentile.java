package sluice.gateway.dispatch.policy;

/**
 * Estimate of a percentile of recent times. Each time moves it by a small fraction of itself, up
 * for a longer time and down for a shorter one. The steps in both directions differ so that the
 * estimate settles where the desired share of times is shorter. It needs the memory of one number.
 */
final class Percentile {
  /** A time moves the estimate by at most one in this many parts of it. */
  private static final int STEPS = 32;

  private final double share;
  private final long least;
  private double estimate;

  /**
   * An estimate with an initial value.
   *
   * @param percentile 1 to 99
   * @param least lower bound of the estimate, in nanoseconds
   * @param first initial value, in nanoseconds
   */
  Percentile(int percentile, long least, long first) {
    share = percentile / 100.0;
    this.least = least;
    estimate = (double) Math.max(first, least);
  }

  /** Adds a time, in nanoseconds. */
  void add(long nanos) {
    double step = estimate / STEPS;
    estimate += (double) nanos > estimate ? step * share : -step * (1 - share);
    estimate = Math.max((double) least, estimate);
  }

  /** The estimate, in nanoseconds. */
  long nanos() {
    return (long) estimate;
  }
}
