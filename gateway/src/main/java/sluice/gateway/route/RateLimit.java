package sluice.gateway.route;

import java.util.concurrent.atomic.AtomicLong;
import sluice.gateway.time.Clocks;

/**
 * Rate limit: a number of requests per second, and a burst after a pause. A process has one bucket,
 * which all event loops share. Thread-safe.
 *
 * <p>The only state is the time at which the bucket will be full again, as in the generic cell rate
 * algorithm of ITU-T I.371. A request for more than the bucket holds passes when the bucket is
 * full, and later requests are refused until it has recovered. So the rate holds for requests of
 * any size. A request for more than ten times as much never passes: one client could otherwise have
 * all later requests refused for hours.
 */
public final class RateLimit {
  /** Times are counted in fractions of a nanosecond, so that high rates are exact. */
  private static final int FRACTION = 4;

  private static final int MOST_BURSTS = 10;

  private static final double PARTS_PER_SECOND = 1e9 * (1 << FRACTION);

  private final String name;
  private final long interval;
  private final int burst;
  private final long origin = Clocks.nanos();
  private final AtomicLong fullAt = new AtomicLong(Long.MIN_VALUE);

  /**
   * A full bucket.
   *
   * @param route of the rule
   * @param rate requests per second
   * @param burst requests at once
   */
  public RateLimit(String route, int rate, int burst) {
    this.name = "over the limit of " + rate + " requests a second of route " + route;
    this.interval = Math.round(PARTS_PER_SECOND / rate);
    this.burst = burst;
  }

  /**
   * Takes from the bucket what a number of requests needs, or nothing.
   *
   * @param now in {@link System#nanoTime}'s nanoseconds
   * @return whether there was enough
   */
  public boolean take(int requests, long now) {
    if (requests > (long) MOST_BURSTS * burst) {
      return false;
    }
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

  /** Returns what was taken for requests that are refused for another reason. */
  public void putBack(int requests) {
    fullAt.addAndGet(-requests * interval);
  }

  /** The error text for refused requests. */
  public String reason() {
    return name;
  }
}
