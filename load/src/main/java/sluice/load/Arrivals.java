package sluice.load;

import java.util.SplittableRandom;

/**
 * Times at which the requests of a load are sent: one in each interval of its rate, at a random
 * moment within it.
 *
 * <p>Without randomness, loads would follow a beat: at 1,500 and 1,000 requests per second, they
 * would all coincide every 2 ms. Profilers with timers take samples at ticks of the kernel's clock,
 * which are whole milliseconds apart. So every tick of a run would find the gateway busy, or none
 * would, independent of its CPU use.
 *
 * <p>The moments are the same in each run of a load of the same name.
 */
final class Arrivals {
  private final SplittableRandom chance;
  private final double intervalNanos;
  private final long startNanos;
  private long interval;

  /**
   * Times for one load.
   *
   * @param name differs between loads that run at the same time
   * @param rate requests per second
   * @param startNanos as {@link System#nanoTime} counts
   */
  Arrivals(String name, double rate, long startNanos) {
    this.chance = new SplittableRandom(name.hashCode());
    this.intervalNanos = 1e9 / rate;
    this.startNanos = startNanos;
  }

  /** The next time, as {@link System#nanoTime} counts; never before the previous one. */
  long next() {
    return startNanos + (long) ((interval++ + chance.nextDouble()) * intervalNanos);
  }

  /** The smallest number of times until then: that of the intervals that have ended. */
  long until(long nanos) {
    return (long) ((nanos - startNanos) / intervalNanos);
  }
}
