package sluice.gateway.metrics.export;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Histogram;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Converter of the gateway's histograms to cumulative ones of OTLP, with all their buckets.
 * Micrometer has no histogram over existing counts. Not thread safe.
 */
final class OtlpHistograms {
  private record Series(String metric, Labels labels) {}

  private final LongSupplier wallClockMillis;
  private Map<Series, Long> started = Map.of();
  private long converted;

  /**
   * @param wallClockMillis milliseconds since 1970
   */
  OtlpHistograms(LongSupplier wallClockMillis) {
    this.wallClockMillis = wallClockMillis;
    converted = wallClockMillis.getAsLong();
  }

  /** All histograms of a moment. A series starts when it was not there yet. */
  List<Metric> convert(MetricSnapshots sums) {
    long now = wallClockMillis.getAsLong();
    Map<Series, Long> present = new HashMap<>();
    List<Metric> metrics = new ArrayList<>();
    for (MetricSnapshot metric : sums) {
      if (metric instanceof HistogramSnapshot histograms && !metric.getDataPoints().isEmpty()) {
        String name = metric.getMetadata().getPrometheusName();
        Histogram.Builder histogram =
            Histogram.newBuilder()
                .setAggregationTemporality(
                    AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
        for (var point : histograms.getDataPoints()) {
          Series series = new Series(name, point.getLabels());
          long start = started.getOrDefault(series, converted);
          present.put(series, start);
          histogram.addDataPoints(point(point, start, now));
        }
        MeterName meter = MeterName.of(name);
        metrics.add(
            Metric.newBuilder()
                .setName(meter.name())
                .setDescription(metric.getMetadata().getHelp())
                .setUnit(unit(meter.unit() == null ? "" : meter.unit()))
                .setHistogram(histogram)
                .build());
      }
    }
    started = present;
    converted = now;
    return metrics;
  }

  /** A unit as OpenTelemetry writes it. */
  static String unit(String unit) {
    return switch (unit) {
      case MeterName.SECONDS -> "s";
      case MeterName.BYTES -> "By";
      default -> unit;
    };
  }

  private static HistogramDataPoint point(
      HistogramSnapshot.HistogramDataPointSnapshot point, long startMillis, long nowMillis) {
    HistogramDataPoint.Builder converted =
        HistogramDataPoint.newBuilder()
            .setStartTimeUnixNano(TimeUnit.MILLISECONDS.toNanos(startMillis))
            .setTimeUnixNano(TimeUnit.MILLISECONDS.toNanos(nowMillis))
            .setCount(RegistryMeters.countOf(point))
            .setSum(point.getSum());
    ClassicHistogramBuckets buckets = point.getClassicBuckets();
    for (int i = 0; i < buckets.size(); i++) {
      converted.addBucketCounts(buckets.getCount(i));
      if (buckets.getUpperBound(i) != Double.POSITIVE_INFINITY) {
        converted.addExplicitBounds(buckets.getUpperBound(i));
      }
    }
    for (Label label : point.getLabels()) {
      converted.addAttributes(
          KeyValue.newBuilder()
              .setKey(label.getName())
              .setValue(AnyValue.newBuilder().setStringValue(label.getValue())));
    }
    return converted.build();
  }
}
