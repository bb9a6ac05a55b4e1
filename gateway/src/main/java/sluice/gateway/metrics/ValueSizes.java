package sluice.gateway.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;

/**
 * Histogram of value sizes in bytes, by powers of two. One thread records, any thread reads;
 * recording allocates nothing.
 */
final class ValueSizes {
  private static final int FIRST_EXPONENT = 5;
  private static final int LAST_EXPONENT = 24;

  /** One for each bound from 32 B to 16 MiB, and one for larger values. */
  private static final int BUCKETS = LAST_EXPONENT - FIRST_EXPONENT + 2;

  /** The cell after the buckets: the sum of all sizes. */
  private static final int SUM = BUCKETS;

  static final int CELLS = BUCKETS + 1;

  private final SingleWriterCounters cells = new SingleWriterCounters(CELLS);

  void record(int bytes) {
    int exponent = bytes <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(bytes - 1);
    cells.add(Math.min(Math.max(exponent, FIRST_EXPONENT), LAST_EXPONENT + 1) - FIRST_EXPONENT, 1);
    cells.add(SUM, bytes);
  }

  /** Adds to {@code sums}, which has {@link #CELLS} elements; from any thread. */
  void addTo(long[] sums) {
    cells.addTo(sums);
  }

  static double sumOf(long[] sums) {
    return (double) sums[SUM];
  }

  static ClassicHistogramBuckets bucketsOf(long[] sums) {
    ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
    for (int i = 0; i < BUCKETS - 1; i++) {
      buckets.bucket((double) (1L << (FIRST_EXPONENT + i)), sums[i]);
    }
    return buckets.bucket(Double.POSITIVE_INFINITY, sums[BUCKETS - 1]).build();
  }
}
