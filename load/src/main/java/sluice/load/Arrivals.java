package sluice.load;

import java.util.SplittableRandom;

/**
 * When the requests of a load are to be sent: one in each interval of its rate, at a moment of
 * chance within it.
 *
 * <p>Without chance, loads beat a rhythm: at 1,500 and 1,000 a second all of them meet again every
 * 2 ms. Where timers take a profile's samples, they do so at ticks of the kernel's clock, some
 * whole milliseconds apart; then every tick of a run finds the gateway at work, or none does,
 * whatever it takes of a processor.
 *
 * <p>The moments are the same in each run of a load of that name.
 */
final class Arrivals {
  private final SplittableRandom chance;
  private final double intervalNanos;
  private final long startNanos;
  private long interval;

  /**
   * Of a load.
   *
   * @param name differs between loads that run at the same time
   * @param rate requests a second
   * @param startNanos as {@link System#nanoTime} counts
   */
  Arrivals(String name, double rate, long startNanos) {
    this.chance = new SplittableRandom(name.hashCode());
    this.intervalNanos = 1e9 / rate;
    this.startNanos = startNanos;
  }

  /** The next one, as {@link System#nanoTime} counts; never earlier than the one before. */
  long next() {
    return startNanos + (long) ((interval++ + chance.nextDouble()) * intervalNanos);
  }

  /** How many there are at least until then: the intervals that are over. */
  long until(long nanos) {
    return (long) ((nanos - startNanos) / intervalNanos);
  }
}
