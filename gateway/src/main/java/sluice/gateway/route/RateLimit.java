package sluice.gateway.route;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many requests pass: so many a second, and after a pause so many at once. One bucket of a
 * process, which all its event loops take from. Thread-safe.
 *
 * <p>Known is only when the bucket will be full again, as in the generic cell rate algorithm of
 * ITU-T I.371. What takes more at once than the bucket holds passes when it is full, and is paid
 * for afterwards: so the rate holds whatever is asked for.
 */
public final class RateLimit {
  /** Times are counted in parts of a nanosecond, for high rates to be what they say. */
  private static final int FRACTION = 4;

  private static final double PARTS_PER_SECOND = 1e9 * (1 << FRACTION);

  private final String name;
  private final long interval;
  private final int burst;
  private final long origin = System.nanoTime();
  private final AtomicLong fullAt = new AtomicLong(Long.MIN_VALUE);

  /**
   * A full bucket.
   *
   * @param route whose rule's it is
   * @param rate requests a second
   * @param burst requests at once
   */
  public RateLimit(String route, int rate, int burst) {
    this.name = "over the limit of " + rate + " requests a second of route " + route;
    this.interval = Math.round(PARTS_PER_SECOND / rate);
    this.burst = burst;
  }

  /**
   * Takes from the bucket what some requests need, or nothing.
   *
   * @param now in {@link System#nanoTime}'s nanoseconds
   * @return whether there was enough
   */
  public boolean take(int requests, long now) {
    long at = (now - origin) << FRACTION;
    while (true) {
      long before = fullAt.get();
      long full = Math.max(before, at);
      if (full - at > (long) (burst - Math.min(requests, burst)) * interval) {
        return false;
      }
      if (fullAt.compareAndSet(before, full + requests * interval)) {
        return true;
      }
    }
  }

  /** Puts back what requests took that do not pass for another reason. */
  public void putBack(int requests) {
    fullAt.addAndGet(-requests * interval);
  }

  /** What those are told that do not pass. */
  public String reason() {
    return name;
  }
}
