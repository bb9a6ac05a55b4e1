package sluice.gateway.metrics;

import static sluice.gateway.metrics.Series.counter;
import static sluice.gateway.metrics.Series.counters;
import static sluice.gateway.metrics.Series.gauge;
import static sluice.gateway.metrics.Series.gauges;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.function.Function;
import sluice.names.Version;

/** Prometheus snapshots of the process as a whole. */
final class ProcessSeries {
  private ProcessSeries() {}

  static void collectValues(List<LoopMetrics> loops, MetricSnapshots.Builder all) {
    HistogramSnapshot.Builder values =
        HistogramSnapshot.builder()
            .name("sluice_value_bytes")
            .help("Sizes of values: written by clients, read from servers");
    values.dataPoint(sizes("read", loops, LoopMetrics::valuesRead));
    values.dataPoint(sizes("written", loops, LoopMetrics::valuesWritten));
    all.metricSnapshot(values.build());
  }

  private static HistogramDataPointSnapshot sizes(
      String direction, List<LoopMetrics> loops, Function<LoopMetrics, ValueSizes> of) {
    long[] sums = new long[ValueSizes.CELLS];
    loops.forEach(loop -> of.apply(loop).addTo(sums));
    return HistogramDataPointSnapshot.builder()
        .classicHistogramBuckets(ValueSizes.bucketsOf(sums))
        .sum(ValueSizes.sumOf(sums))
        .labels(Labels.of("direction", direction))
        .build();
  }

  static void collectProcessors(
      List<LoopMetrics> loops, ProcessMemory process, MetricSnapshots.Builder all) {
    CounterSnapshot.Builder cpu =
        counters("sluice_loop_cpu_seconds", "CPU time of each event loop");
    for (LoopMetrics loop : loops) {
      if (loop.threadId() >= 0) {
        cpu.dataPoint(
            CounterDataPointSnapshot.builder()
                .value(process.cpuSeconds(loop.threadId()))
                .labels(Labels.of("loop", loop.name()))
                .build());
      }
    }
    all.metricSnapshot(cpu.build());
  }

  static void collectBuild(MetricSnapshots.Builder all) {
    Labels labels = Labels.of("version", Version.current(), "java", Runtime.version().toString());
    all.metricSnapshot(
        InfoSnapshot.builder()
            .name("sluice_build")
            .help("The versions of Sluice and of Java")
            .dataPoint(InfoSnapshot.InfoDataPointSnapshot.builder().labels(labels).build())
            .build());
  }

  static void collectMemory(
      List<LoopMetrics> loops,
      ProcessMemory process,
      long bufferLimit,
      long requestBytes,
      long requestLimit,
      MetricSnapshots.Builder all) {
    GaugeSnapshot.Builder used = gauges("sluice_memory_used_bytes", "Memory in use, by area");
    used.dataPoint(gauge(ProcessMemory.heapUsed(), area("heap")));
    used.dataPoint(gauge(ProcessMemory.directUsed(), area("direct")));
    used.dataPoint(
        gauge(loops.stream().mapToLong(LoopMetrics::bufferedBytes).sum(), area("buffers")));
    used.dataPoint(gauge(requestBytes, area("requests")));
    ProcessMemory.resident().ifPresent(bytes -> used.dataPoint(gauge(bytes, area("resident"))));
    GaugeSnapshot.Builder limit = gauges("sluice_memory_limit_bytes", "Limit of an area of memory");
    limit.dataPoint(gauge(ProcessMemory.heapLimit(), area("heap")));
    limit.dataPoint(gauge(ProcessMemory.directLimit(), area("direct")));
    limit.dataPoint(gauge(bufferLimit, area("buffers")));
    limit.dataPoint(gauge(requestLimit, area("requests")));
    all.metricSnapshot(used.build());
    all.metricSnapshot(limit.build());
    all.metricSnapshot(
        counters("sluice_process_allocated_bytes", "Bytes allocated on the heap")
            .dataPoint(counter(process.allocated(), Labels.EMPTY))
            .build());
  }

  private static Labels area(String area) {
    return Labels.of("area", area);
  }
}
