package sluice.gateway.metrics.export;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.gateway.time.Clocks;

/**
 * Meters of a Micrometer registry for all metrics of the gateway. Each one is a function over the
 * existing counters, so the data path does not change.
 *
 * <p>A meter that is read when the last sums are older than a second sums up again. That also
 * registers the meters of new series, and removes those of series that are gone. Thread safe.
 */
public final class RegistryMeters {
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How histograms appear in the registry. */
  public enum Histograms {
    /** As meters of their count and their sum. */
    COUNT_AND_SUM,
    /** Not at all: the caller sends them whole. */
    NONE
  }

  private record Series(String metric, Labels labels) {}

  /** Values of one series, and its meter. */
  private static final class Cell {
    volatile double value;
    volatile long count;
    long pass;
    @Nullable Meter meter; // null until it is registered: it reads this cell
  }

  private final Supplier<MetricSnapshots> source;
  private final MeterRegistry registry;
  private final Histograms histograms;
  private final LongSupplier nanoClock;
  private final Map<Series, Cell> cells = new HashMap<>();
  private long pass;
  private volatile long summedUp;

  /**
   * Registers meters for all metrics.
   *
   * @param source sums up the gateway's counters; from any thread
   */
  public RegistryMeters(
      Supplier<MetricSnapshots> source, MeterRegistry registry, Histograms histograms) {
    this(source, registry, histograms, Clocks::nanos);
  }

  RegistryMeters(
      Supplier<MetricSnapshots> source,
      MeterRegistry registry,
      Histograms histograms,
      LongSupplier nanoClock) {
    this.source = source;
    this.registry = registry;
    this.histograms = histograms;
    this.nanoClock = nanoClock;
    refresh(source.get());
  }

  private void freshen() {
    if (nanoClock.getAsLong() - summedUp > FRESH_NANOS) {
      refresh(source.get());
    }
  }

  /** Takes over sums that the caller has got from the source just now. */
  synchronized void refresh(MetricSnapshots sums) {
    summedUp = nanoClock.getAsLong();
    pass++;
    for (MetricSnapshot metric : sums) {
      String name = metric.getMetadata().getPrometheusName();
      String help = metric.getMetadata().getHelp();
      if (metric instanceof CounterSnapshot counters) {
        counters.getDataPoints().forEach(point -> counter(name, help, point));
      } else if (metric instanceof GaugeSnapshot gauges) {
        gauges.getDataPoints().forEach(p -> gauge(name, help, p.getLabels(), p.getValue()));
      } else if (metric instanceof InfoSnapshot infos) {
        infos.getDataPoints().forEach(p -> gauge(name + "_info", help, p.getLabels(), 1));
      } else if (metric instanceof SummarySnapshot summaries) {
        summaries.getDataPoints().forEach(point -> quantiles(name, help, point));
      } else if (metric instanceof HistogramSnapshot all && histograms != Histograms.NONE) {
        all.getDataPoints().forEach(point -> histogram(name, help, point));
      }
    }
    cells.values().removeIf(this::isGone);
  }

  private boolean isGone(Cell cell) {
    if (cell.pass == pass) {
      return false;
    }
    Meter gone = cell.meter;
    if (gone != null) {
      registry.remove(gone);
    }
    return true;
  }

  private Cell cell(String metric, Labels labels) {
    Cell cell = cells.computeIfAbsent(new Series(metric, labels), series -> new Cell());
    cell.pass = pass;
    return cell;
  }

  private double valueOf(Cell cell) {
    freshen();
    return cell.value;
  }

  private long countOf(Cell cell) {
    freshen();
    return cell.count;
  }

  private void counter(String metric, String help, CounterSnapshot.CounterDataPointSnapshot point) {
    Cell cell = cell(metric, point.getLabels());
    cell.value = point.getValue();
    if (cell.meter == null) {
      MeterName name = MeterName.of(metric);
      cell.meter =
          FunctionCounter.builder(name.name(), cell, this::valueOf)
              .description(help)
              .baseUnit(name.unit())
              .tags(tags(point.getLabels()))
              .register(registry);
    }
  }

  private void gauge(String metric, String help, Labels labels, double value) {
    Cell cell = cell(metric, labels);
    cell.value = value;
    if (cell.meter == null) {
      MeterName name = MeterName.of(metric);
      cell.meter =
          Gauge.builder(name.name(), cell, this::valueOf)
              .description(help)
              .baseUnit(name.unit())
              .tags(tags(labels))
              .register(registry);
    }
  }

  private void quantiles(
      String metric, String help, SummarySnapshot.SummaryDataPointSnapshot point) {
    for (Quantile quantile : point.getQuantiles()) {
      gauge(
          metric,
          help,
          point.getLabels().add("quantile", Double.toString(quantile.getQuantile())),
          quantile.getValue());
    }
  }

  private void histogram(
      String metric, String help, HistogramSnapshot.HistogramDataPointSnapshot point) {
    Cell cell = cell(metric, point.getLabels());
    cell.value = point.getSum();
    cell.count = countOf(point);
    if (cell.meter == null) {
      MeterName name = MeterName.of(metric);
      cell.meter =
          MeterName.SECONDS.equals(name.unit())
              ? FunctionTimer.builder(
                      name.name(), cell, this::countOf, this::valueOf, TimeUnit.SECONDS)
                  .description(help)
                  .tags(tags(point.getLabels()))
                  .register(registry)
              : Meter.builder(name.name(), Meter.Type.DISTRIBUTION_SUMMARY, measurements(cell))
                  .description(help)
                  .baseUnit(name.unit())
                  .tags(tags(point.getLabels()))
                  .register(registry);
    }
  }

  private List<Measurement> measurements(Cell cell) {
    return List.of(
        new Measurement(() -> (double) countOf(cell), Statistic.COUNT),
        new Measurement(() -> valueOf(cell), Statistic.TOTAL));
  }

  /** How many values a histogram has counted. */
  static long countOf(HistogramSnapshot.HistogramDataPointSnapshot point) {
    long count = 0;
    for (int i = 0; i < point.getClassicBuckets().size(); i++) {
      count += point.getClassicBuckets().getCount(i);
    }
    return count;
  }

  private static Tags tags(Labels labels) {
    Tags tags = Tags.empty();
    for (Label label : labels) {
      tags = tags.and(Tag.of(label.getName(), label.getValue()));
    }
    return tags;
  }
}
