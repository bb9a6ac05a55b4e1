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

/** Collector of the loops' counters as Prometheus snapshots: one pass over all loops per scrape. */
final class LoopsCollector implements MultiCollector {
  private final List<LoopMetrics> loops;
  private final ToLongFunction<ReloadResult> reloads;
  private final Map<DiscoveryName, LongAdder> discoveries;
  private final Supplier<Map<ServerName, ServerCondition>> serverStates;
  private final LongSupplier bufferLimit;
  private final LongSupplier requestBytes;
  private final LongSupplier requestLimit;
  private final RecentTimes recentTimes;
  private final ProcessMemory memory = new ProcessMemory();

  LoopsCollector(
      List<LoopMetrics> loops,
      ToLongFunction<ReloadResult> reloads,
      Map<DiscoveryName, LongAdder> discoveries,
      Supplier<Map<ServerName, ServerCondition>> serverStates,
      LongSupplier bufferLimit,
      LongSupplier requestBytes,
      LongSupplier requestLimit,
      LongSupplier nanoClock) {
    this.loops = loops;
    this.reloads = reloads;
    this.discoveries = discoveries;
    this.serverStates = serverStates;
    this.bufferLimit = bufferLimit;
    this.requestBytes = requestBytes;
    this.requestLimit = requestLimit;
    this.recentTimes = new RecentTimes(nanoClock);
  }

  /**
   * Synchronized, because simultaneous scrapes would disturb each other's window of recent times.
   */
  @Override
  public synchronized MetricSnapshots collect() {
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    ListenerSeries.collect(loops, recentTimes, all);
    ServerSeries.collect(loops, serverStates.get(), recentTimes, all);
    RuleSeries.collect(loops, recentTimes, all);
    collectProcess(all);
    collectLoops(all);
    ProcessSeries.collectBuild(all);
    ProcessSeries.collectValues(loops, all);
    ProcessSeries.collectMemory(
        loops,
        memory,
        bufferLimit.getAsLong(),
        requestBytes.getAsLong(),
        requestLimit.getAsLong(),
        all);
    recentTimes.scraped();
    return all.build();
  }

  private void collectProcess(MetricSnapshots.Builder all) {
    all.metricSnapshot(
        counters(
            "sluice_samples_dropped",
            "Samples for hot keys or logs that were dropped because their queue was full",
            "kind",
            SampleKind.values(),
            kind -> sum(loop -> loop.samplesDropped(kind))));
    all.metricSnapshot(
        counters(
            "sluice_dropped_requests",
            "Requests that were read but never executed",
            "reason",
            DropReason.values(),
            reason -> sum(loop -> loop.requestsDropped(reason))));
    all.metricSnapshot(
        counters(
                "sluice_overdue_requests",
                "Requests that the watchdog failed because no timeout had ended them")
            .dataPoint(counter(sum(LoopMetrics::requestsOverdue), Labels.EMPTY))
            .build());
    all.metricSnapshot(
        counters(
                "sluice_io_uring_buffers_exhausted",
                "Reads that found no free buffer in their event loop's ring, and were repeated")
            .dataPoint(counter(sum(LoopMetrics::timesReadBuffersExhausted), Labels.EMPTY))
            .build());
    all.metricSnapshot(
        counters(
            "sluice_bytes",
            "Bytes read and written",
            "direction",
            Direction.values(),
            direction -> sum(loop -> loop.bytes(direction))));
    all.metricSnapshot(
        counters(
            "sluice_compression_bytes",
            "Bytes of values, before and after they were compressed or decompressed",
            "stage",
            CompressionStage.values(),
            stage -> sum(loop -> loop.compressed(stage))));
    all.metricSnapshot(
        counters(
            "sluice_reloads",
            "Reloads of the configuration file, by result",
            "result",
            ReloadResult.values(),
            reloads));
    collectDiscoveries(all);
    all.metricSnapshot(
        gauges("sluice_buffered_bytes", "Bytes held in memory for all connections together")
            .dataPoint(gauge(sum(LoopMetrics::bufferedBytes), Labels.EMPTY))
            .build());
    all.metricSnapshot(
        gauges("sluice_in_flight", "Requests that were received and are not answered yet")
            .dataPoint(gauge(sum(LoopMetrics::inFlight), Labels.EMPTY))
            .build());
  }

  private long sum(ToLongFunction<LoopMetrics> count) {
    return loops.stream().mapToLong(count).sum();
  }

  private void collectLoops(MetricSnapshots.Builder all) {
    TimeSeries lag =
        new TimeSeries(
            recentTimes,
            "sluice_loop_lag",
            "Event loop lag: delay of a task that is due immediately");
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
        counters("sluice_discoveries", "Discoveries of a pool's servers, by result");
    discoveries.forEach(
        (key, count) ->
            counts.dataPoint(
                counter(
                    count.sum(), Labels.of("pool", key.pool(), "result", key.result().label()))));
    all.metricSnapshot(counts.build());
  }
}
