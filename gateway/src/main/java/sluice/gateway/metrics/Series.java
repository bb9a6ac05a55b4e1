package sluice.gateway.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** Prometheus snapshots, built point by point. */
final class Series {
  private Series() {}

  static CounterSnapshot.Builder counters(String name, String help) {
    return CounterSnapshot.builder().name(name).help(help);
  }

  /**
   * Counters that one label tells apart, whose values are those of an enum.
   *
   * @param count what was counted of each
   */
  static <E extends Enum<E>> CounterSnapshot counters(
      String name, String help, String label, E[] values, ToLongFunction<E> count) {
    CounterSnapshot.Builder counters = counters(name, help);
    for (E value : values) {
      counters.dataPoint(counter(count.applyAsLong(value), Labels.of(label, label(value))));
    }
    return counters.build();
  }

  static GaugeSnapshot.Builder gauges(String name, String help) {
    return GaugeSnapshot.builder().name(name).help(help);
  }

  static CounterDataPointSnapshot counter(long value, Labels labels) {
    return CounterDataPointSnapshot.builder().value((double) value).labels(labels).build();
  }

  /** The value of a label that an enum has. */
  static String label(Enum<?> of) {
    return of.name().toLowerCase(Locale.ROOT);
  }

  static GaugeDataPointSnapshot gauge(long value, Labels labels) {
    return GaugeDataPointSnapshot.builder().value((double) value).labels(labels).build();
  }
}
