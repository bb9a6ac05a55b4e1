package sluice.gateway.metrics;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Recent part of the histograms' counts, for quantiles that reflect the present. (After a day,
 * quantiles since the start would hardly move.) For each histogram it keeps the sums of two earlier
 * scrapes, at least {@link #STEP_NANOS} apart. The recent part is what was recorded since the older
 * one. That spans at least 30 s, and at most 60 s and two intervals between scrapes; in a younger
 * process it is everything.
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
   * @param clock nanoseconds, as {@link System#nanoTime}
   */
  RecentTimes(LongSupplier clock) {
    this.clock = clock;
    this.newerTaken = clock.getAsLong();
  }

  /** The recent part of {@code series}, whose sums so far are {@code total}. */
  TimeSums recent(Object series, TimeSums total) {
    current.put(series, total);
    TimeSums before = older.get(series);
    return before == null ? total : total.since(before);
  }

  /**
   * Called after the last series of a scrape. Series that no longer occur are forgotten in time.
   */
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
