package sluice.gateway.metrics;

import static sluice.gateway.metrics.Series.counter;
import static sluice.gateway.metrics.Series.counters;
import static sluice.gateway.metrics.Series.gauge;
import static sluice.gateway.metrics.Series.gauges;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** Turns what the loops counted into Prometheus' snapshots: one pass over all loops per scrape. */
final class LoopsCollector implements MultiCollector {
  private final List<LoopMetrics> loops;
  private final ToLongFunction<ReloadResult> reloads;
  private final Map<DiscoveryName, LongAdder> discoveries;
  private final Supplier<Map<ServerName, ServerCondition>> serverStates;
  private final LongSupplier bufferLimit;
  private final RecentTimes recentTimes;
  private final ProcessMemory memory = new ProcessMemory();

  LoopsCollector(
      List<LoopMetrics> loops,
      ToLongFunction<ReloadResult> reloads,
      Map<DiscoveryName, LongAdder> discoveries,
      Supplier<Map<ServerName, ServerCondition>> serverStates,
      LongSupplier bufferLimit,
      LongSupplier nanoClock) {
    this.loops = loops;
    this.reloads = reloads;
    this.discoveries = discoveries;
    this.serverStates = serverStates;
    this.bufferLimit = bufferLimit;
    this.recentTimes = new RecentTimes(nanoClock);
  }

  /** Two scrapes at once would disturb each other's idea of what is recent: one after the other. */
  @Override
  public synchronized MetricSnapshots collect() {
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    ListenerSeries.collect(loops, recentTimes, all);
    ServerSeries.collect(loops, serverStates.get(), recentTimes, all);
    RuleSeries.collect(loops, all);
    collectProcess(all);
    collectLoops(all);
    ProcessSeries.collectValues(loops, all);
    ProcessSeries.collectMemory(loops, memory, bufferLimit.getAsLong(), all);
    recentTimes.scraped();
    return all.build();
  }

  private void collectProcess(MetricSnapshots.Builder all) {
    CounterSnapshot.Builder bytes = counters("sluice_bytes", "Bytes read and written");
    for (Direction direction : Direction.values()) {
      bytes.dataPoint(
          counter(
              loops.stream().mapToLong(loop -> loop.bytes(direction)).sum(),
              Labels.of("direction", direction.label())));
    }
    CounterSnapshot.Builder compression =
        counters(
            "sluice_compression_bytes",
            "Bytes of values, before and after they were compressed or decompressed");
    for (CompressionStage stage : CompressionStage.values()) {
      compression.dataPoint(
          counter(
              loops.stream().mapToLong(loop -> loop.compressed(stage)).sum(),
              Labels.of("stage", stage.label())));
    }
    CounterSnapshot.Builder reloadCounts =
        counters("sluice_reloads", "Changed configuration files, by what became of them");
    for (ReloadResult result : ReloadResult.values()) {
      reloadCounts.dataPoint(
          counter(reloads.applyAsLong(result), Labels.of("result", result.label())));
    }
    CounterSnapshot.Builder dropped =
        counters(
            "sluice_samples_dropped",
            "Requests picked for hot keys or a log, for which there was no room");
    for (SampleKind kind : SampleKind.values()) {
      dropped.dataPoint(
          counter(
              loops.stream().mapToLong(loop -> loop.samplesDropped(kind)).sum(),
              Labels.of("kind", kind.label())));
    }
    all.metricSnapshot(dropped.build());
    CounterSnapshot.Builder droppedRequests =
        counters("sluice_dropped_requests", "Requests that were read and never carried out");
    for (DropReason reason : DropReason.values()) {
      droppedRequests.dataPoint(
          counter(
              loops.stream().mapToLong(loop -> loop.requestsDropped(reason)).sum(),
              Labels.of("reason", reason.label())));
    }
    all.metricSnapshot(droppedRequests.build());
    all.metricSnapshot(
        counters("sluice_overdue_requests", "Requests that no timeout had ended, and that failed")
            .dataPoint(
                counter(loops.stream().mapToLong(LoopMetrics::requestsOverdue).sum(), Labels.EMPTY))
            .build());
    all.metricSnapshot(bytes.build());
    all.metricSnapshot(compression.build());
    all.metricSnapshot(reloadCounts.build());
    collectDiscoveries(all);
    all.metricSnapshot(
        gauges("sluice_buffered_bytes", "Bytes held in memory for all connections together")
            .dataPoint(
                gauge(loops.stream().mapToLong(LoopMetrics::bufferedBytes).sum(), Labels.EMPTY))
            .build());
    all.metricSnapshot(
        gauges("sluice_in_flight", "Requests taken in and not answered yet")
            .dataPoint(gauge(loops.stream().mapToLong(LoopMetrics::inFlight).sum(), Labels.EMPTY))
            .build());
  }

  private void collectLoops(MetricSnapshots.Builder all) {
    TimeSeries lag =
        new TimeSeries(
            recentTimes,
            "sluice_loop_lag",
            "How late an event loop runs what is to be run at once");
    for (LoopMetrics loop : loops) {
      TimeSums sums = new TimeSums();
      sums.add(loop.lag());
      lag.add(sums, Labels.of("loop", loop.name()));
    }
    lag.addTo(all);
    ProcessSeries.collectProcessors(loops, memory, all);
  }

  private void collectDiscoveries(MetricSnapshots.Builder all) {
    CounterSnapshot.Builder counts =
        counters(
            "sluice_discoveries",
            "Times that a pool's servers were asked for, by what became of it");
    discoveries.forEach(
        (key, count) ->
            counts.dataPoint(
                counter(
                    count.sum(), Labels.of("pool", key.pool(), "result", key.result().label()))));
    all.metricSnapshot(counts.build());
  }
}
