package sluice.gateway.metrics;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What the histograms counted lately: quantiles since the process started would hardly move after a
 * day. Of each histogram the sums of two earlier scrapes are kept, at least {@link #STEP_NANOS}
 * apart, and what came in since the older one is the recent past: at least 30 s of it, at most 60 s
 * and two intervals between scrapes, or all there is when the process is younger.
 *
 * <p>Not thread safe.
 */
final class RecentTimes {
  static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final LongSupplier clock;
  private Map<Object, TimeSums> older = Map.of();
  private Map<Object, TimeSums> newer = Map.of();
  private Map<Object, TimeSums> current = new HashMap<>();
  private long newerTaken;

  /**
   * Nothing seen yet.
   *
   * @param clock nanoseconds, as {@link System#nanoTime}
   */
  RecentTimes(LongSupplier clock) {
    this.clock = clock;
    this.newerTaken = clock.getAsLong();
  }

  /** What came in lately of {@code series}, of which {@code total} is everything so far. */
  TimeSums recent(Object series, TimeSums total) {
    current.put(series, total);
    TimeSums before = older.get(series);
    return before == null ? total : total.since(before);
  }

  /** After the last series of a scrape. Series that were not in it are forgotten in time. */
  void scraped() {
    long now = clock.getAsLong();
    if (now - newerTaken >= STEP_NANOS) {
      older = newer;
      newer = current;
      newerTaken = now;
    }
    current = new HashMap<>();
  }
}
