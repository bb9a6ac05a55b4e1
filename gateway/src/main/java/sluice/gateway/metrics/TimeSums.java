package sluice.gateway.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;

/**
 * Sum of several loops' histograms at one moment. Not thread safe; made for one scrape.
 *
 * <p>The export has one bucket per power of two of nanoseconds, from about 1 µs to 17 s. These
 * bounds are also bounds of the finer buckets, so the exported counts are exact.
 */
final class TimeSums {
  private static final int FIRST_EXPONENT = 10;
  private static final int LAST_EXPONENT = 34;
  private static final double NANOS_PER_SECOND = 1e9;

  private final long[] cells;

  TimeSums() {
    this(new long[TimeHistogram.CELLS]);
  }

  private TimeSums(long[] cells) {
    this.cells = cells;
  }

  void add(TimeHistogram histogram) {
    histogram.addTo(cells);
  }

  /** The durations recorded between {@code earlier} and this. */
  TimeSums since(TimeSums earlier) {
    long[] difference = new long[cells.length];
    for (int i = 0; i < cells.length; i++) {
      // a server that was forgotten and came back starts again at 0
      difference[i] = Math.max(0, cells[i] - earlier.cells[i]);
    }
    return new TimeSums(difference);
  }

  /** Number of durations. */
  long count() {
    long count = 0;
    for (int bucket = 0; bucket < TimeHistogram.BUCKETS; bucket++) {
      count += cells[bucket];
    }
    return count;
  }

  /** Sum of all durations. */
  double sumSeconds() {
    return TimeHistogram.sumOf(cells) / NANOS_PER_SECOND;
  }

  /**
   * The duration that the fraction {@code quantile} of all durations does not exceed. It is the
   * upper bound of a bucket, so up to 12.5 % too long and never too short.
   *
   * @return seconds; NaN when nothing was recorded
   */
  double quantileSeconds(double quantile) {
    long count = count();
    if (count == 0) {
      return Double.NaN;
    }
    long rank = Math.max(1, (long) Math.ceil(quantile * count));
    long seen = 0;
    int bucket = -1;
    while (seen < rank) {
      seen += cells[++bucket];
    }
    return TimeHistogram.lowerBound(bucket + 1) / NANOS_PER_SECOND;
  }

  /** The counts between the exported bounds, in seconds. */
  ClassicHistogramBuckets buckets() {
    ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
    int bucket = 0;
    for (int exponent = FIRST_EXPONENT; exponent <= LAST_EXPONENT; exponent++) {
      long bound = 1L << exponent;
      long count = 0;
      for (; TimeHistogram.lowerBound(bucket) < bound; bucket++) {
        count += cells[bucket];
      }
      buckets.bucket(bound / NANOS_PER_SECOND, count);
    }
    long longer = 0;
    for (; bucket < TimeHistogram.BUCKETS; bucket++) {
      longer += cells[bucket];
    }
    return buckets.bucket(Double.POSITIVE_INFINITY, longer).build();
  }
}
