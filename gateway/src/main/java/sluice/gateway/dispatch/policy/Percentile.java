package sluice.gateway.dispatch.policy;

/**
 * An estimate of a percentile of recent times. Each time moves it by a small part of itself: up
 * when it was longer, down when it was shorter, so much more in one direction that the estimate
 * rests where the wanted share of times is shorter. Takes the room of one number.
 */
final class Percentile {
  /** A time moves the estimate by up to one of so many parts of it. */
  private static final int STEPS = 32;

  private final double share;
  private final long least;
  private double estimate;

  /**
   * An estimate that begins somewhere.
   *
   * @param percentile 1 to 99
   * @param least what the estimate is not below, in nanoseconds
   * @param first what it is before the first time, in nanoseconds
   */
  Percentile(int percentile, long least, long first) {
    share = percentile / 100.0;
    this.least = least;
    estimate = (double) Math.max(first, least);
  }

  /** A time, in nanoseconds. */
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
