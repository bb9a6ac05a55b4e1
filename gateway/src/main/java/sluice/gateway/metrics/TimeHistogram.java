package sluice.gateway.metrics;

/**
 * Histogram of durations in nanoseconds, with eight buckets for each power of two. A bucket's
 * bounds are at most 12.5 % apart, and a shift and a mask find it.
 *
 * <p>One thread records; any thread reads. Recording writes two longs of an array and allocates
 * nothing.
 */
public final class TimeHistogram {
  /** Binary logarithm of the number of buckets for each power of two. */
  private static final int SUB_BITS = 3;

  private static final int SUB_BUCKETS = 1 << SUB_BITS;

  /** Durations of 2^37 ns (137 s) and more count in the last bucket: no request lives that long. */
  private static final int MAX_EXPONENT = 36;

  static final int BUCKETS = (MAX_EXPONENT - SUB_BITS + 2) << SUB_BITS;

  /** The cell after the buckets: the sum of all durations. */
  private static final int SUM = BUCKETS;

  /** Buckets and the sum: the length of the array for {@link #addTo}. */
  static final int CELLS = BUCKETS + 1;

  private final SingleWriterCounters cells = new SingleWriterCounters(CELLS);

  TimeHistogram() {}

  /**
   * Counts one duration. Called by the owning event loop only.
   *
   * @param nanos the duration; a negative one (a clock read on two processors) counts as 0
   */
  public void record(long nanos) {
    long duration = Math.max(nanos, 0);
    cells.add(bucketOf(duration), 1);
    cells.add(SUM, duration);
  }

  /** Adds buckets and sum to {@code sums}, which has {@link #CELLS} elements; from any thread. */
  void addTo(long[] sums) {
    cells.addTo(sums);
  }

  /** The sum of all durations in nanoseconds, from the result of {@link #addTo}. */
  static long sumOf(long[] sums) {
    return sums[SUM];
  }

  /** The bucket that counts a duration of {@code nanos >= 0}. */
  static int bucketOf(long nanos) {
    if (nanos < SUB_BUCKETS) {
      return (int) nanos;
    }
    int exponent = 63 - Long.numberOfLeadingZeros(nanos);
    if (exponent > MAX_EXPONENT) {
      return BUCKETS - 1;
    }
    int sub = (int) (nanos >>> (exponent - SUB_BITS)) & (SUB_BUCKETS - 1);
    return ((exponent - SUB_BITS + 1) << SUB_BITS) + sub;
  }

  /** The smallest duration that counts in {@code bucket}, in nanoseconds. */
  static long lowerBound(int bucket) {
    if (bucket < SUB_BUCKETS) {
      return bucket;
    }
    int shift = (bucket >>> SUB_BITS) - 1;
    return (long) (SUB_BUCKETS + (bucket & (SUB_BUCKETS - 1))) << shift;
  }
}
