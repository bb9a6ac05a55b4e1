package sluice.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimeHistogramTest {
  @Test
  void shouldCutTheTimeLineIntoBucketsWithoutGapsOrOverlaps() {
    assertThat(TimeHistogram.lowerBound(0)).isZero();
    for (int bucket = 0; bucket < TimeHistogram.BUCKETS; bucket++) {
      long first = TimeHistogram.lowerBound(bucket);
      long last = TimeHistogram.lowerBound(bucket + 1) - 1;
      assertThat(last).isGreaterThanOrEqualTo(first);
      assertThat(TimeHistogram.bucketOf(first)).as("of %d ns", first).isEqualTo(bucket);
      assertThat(TimeHistogram.bucketOf(last)).as("of %d ns", last).isEqualTo(bucket);
    }
  }

  @Test
  void shouldKeepEveryBucketNarrowerThanAnEighthOfItsTime() {
    for (int bucket = 8; bucket < TimeHistogram.BUCKETS; bucket++) {
      long first = TimeHistogram.lowerBound(bucket);
      assertThat(TimeHistogram.lowerBound(bucket + 1) - first).isLessThanOrEqualTo(first / 8);
    }
  }

  @Test
  void shouldCountWhatIsTooLongInTheLastBucketAndWhatIsNegativeAsNothing() {
    assertThat(TimeHistogram.bucketOf(Long.MAX_VALUE)).isEqualTo(TimeHistogram.BUCKETS - 1);
    TimeHistogram histogram = new TimeHistogram();
    histogram.record(-5);
    TimeSums sums = new TimeSums();
    sums.add(histogram);
    assertThat(sums.count()).isOne();
    assertThat(sums.sumSeconds()).isZero();
  }

  @Test
  void shouldTellQuantilesNeverTooShortAndAtMostAnEighthTooLong() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    long[] nanos = random.longs(10_000, 1_000, 50_000_000).toArray();
    TimeHistogram histogram = new TimeHistogram();
    Arrays.stream(nanos).forEach(histogram::record);
    Arrays.sort(nanos);
    TimeSums sums = new TimeSums();
    sums.add(histogram);
    for (double quantile : new double[] {0.001, 0.5, 0.99, 0.999, 1}) {
      double exact = nanos[(int) Math.ceil(quantile * nanos.length) - 1] / 1e9;
      assertThat(sums.quantileSeconds(quantile))
          .as("seed %d, quantile %s", seed, quantile)
          .isBetween(exact, exact * 1.126);
    }
  }

  @Test
  void shouldHaveNoQuantilesOfNothing() {
    assertThat(new TimeSums().quantileSeconds(0.5)).isNaN();
  }

  @Test
  void shouldExportExactCountsBetweenPowersOfTwo() {
    TimeHistogram histogram = new TimeHistogram();
    histogram.record(0);
    histogram.record((1 << 10) - 1);
    histogram.record(1 << 10);
    histogram.record((1 << 11) - 1);
    histogram.record(1L << 34);
    histogram.record(Long.MAX_VALUE);
    TimeSums sums = new TimeSums();
    sums.add(histogram);
    ClassicHistogramBuckets buckets = sums.buckets();
    assertThat(buckets.getUpperBound(0)).isCloseTo(1.024e-6, within(1e-15));
    assertThat(buckets.getCount(0)).isEqualTo(2);
    assertThat(buckets.getCount(1)).isEqualTo(2);
    assertThat(buckets.getUpperBound(buckets.size() - 2)).isCloseTo(17.18, within(0.01));
    assertThat(buckets.getCount(buckets.size() - 1)).isEqualTo(2);
    assertThat(buckets.stream().mapToLong(b -> b.getCount()).sum()).isEqualTo(6);
  }
}
