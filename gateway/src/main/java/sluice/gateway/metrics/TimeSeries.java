package sluice.gateway.metrics;

import static sluice.gateway.metrics.Series.gauges;

import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Series of times of one kind: a histogram since the start, and quantiles of the recent past. */
final class TimeSeries {
  private static final Map<String, Double> QUANTILES =
      new TreeMap<>(Map.of("0.5", 0.5, "0.99", 0.99, "0.999", 0.999));

  private final RecentTimes recentTimes;
  private final String name;
  private final HistogramSnapshot.Builder histogram;
  private final GaugeSnapshot.Builder quantiles;

  /**
   * A series without points.
   *
   * @param name without its unit
   */
  TimeSeries(RecentTimes recentTimes, String name, String help) {
    this.recentTimes = recentTimes;
    this.name = name;
    histogram = HistogramSnapshot.builder().name(name + "_seconds").help(help);
    quantiles = gauges(name + "_quantile_seconds", help + "; of the last half minute or more");
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
      QUANTILES.forEach(
          (label, quantile) ->
              quantiles.dataPoint(
                  GaugeDataPointSnapshot.builder()
                      .value(recent.quantileSeconds(quantile))
                      .labels(labels.add("quantile", label))
                      .build()));
    }
  }

  void addTo(MetricSnapshots.Builder all) {
    all.metricSnapshot(histogram.build());
    all.metricSnapshot(quantiles.build());
  }
}
