package sluice.gateway.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;

/** Prometheus' snapshots, which are built point by point. */
final class Series {
  private Series() {}

  static CounterSnapshot.Builder counters(String name, String help) {
    return CounterSnapshot.builder().name(name).help(help);
  }

  static GaugeSnapshot.Builder gauges(String name, String help) {
    return GaugeSnapshot.builder().name(name).help(help);
  }

  static CounterDataPointSnapshot counter(long value, Labels labels) {
    return CounterDataPointSnapshot.builder().value((double) value).labels(labels).build();
  }

  static GaugeDataPointSnapshot gauge(long value, Labels labels) {
    return GaugeDataPointSnapshot.builder().value((double) value).labels(labels).build();
  }
}
