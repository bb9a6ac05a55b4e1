package sluice.gateway.metrics;

import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.util.List;

/**
 * Series of times of one kind: a histogram since the start, and a summary with quantiles of the
 * recent past. The summary has no count and no sum, because the histogram has them.
 */
final class TimeSeries {
  private static final double[] QUANTILES = {0.5, 0.99, 0.999};

  private final RecentTimes recentTimes;
  private final String name;
  private final HistogramSnapshot.Builder histogram;
  private final SummarySnapshot.Builder quantiles;

  /**
   * A series without points.
   *
   * @param name without its unit
   */
  TimeSeries(RecentTimes recentTimes, String name, String help) {
    this.recentTimes = recentTimes;
    this.name = name;
    histogram = HistogramSnapshot.builder().name(name + "_seconds").help(help);
    quantiles =
        SummarySnapshot.builder()
            .name(name + "_quantile_seconds")
            .help(help + "; over the last half minute or more");
  }

  void add(TimeSums sums, Labels labels) {
    histogram.dataPoint(
        HistogramDataPointSnapshot.builder()
            .classicHistogramBuckets(sums.buckets())
            .sum(sums.sumSeconds())
            .labels(labels)
            .build());
    TimeSums recent = recentTimes.recent(List.of(name, labels), sums);
    if (recent.count() > 0) {
      quantiles.dataPoint(
          SummaryDataPointSnapshot.builder().quantiles(quantiles(recent)).labels(labels).build());
    }
  }

  private static Quantiles quantiles(TimeSums recent) {
    Quantiles.Builder quantiles = Quantiles.builder();
    for (double quantile : QUANTILES) {
      quantiles.quantile(quantile, recent.quantileSeconds(quantile));
    }
    return quantiles.build();
  }

  void addTo(MetricSnapshots.Builder all) {
    all.metricSnapshot(histogram.build());
    all.metricSnapshot(quantiles.build());
  }
}
