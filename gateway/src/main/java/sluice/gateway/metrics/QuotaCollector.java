package sluice.gateway.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Collector of how often the container's CPU quota was used up, as the kernel counts it. */
final class QuotaCollector implements MultiCollector {
  private static final List<Path> CPU_STAT =
      List.of(
          Path.of("/sys/fs/cgroup/cpu.stat"), // version 2, and below it version 1
          Path.of("/sys/fs/cgroup/cpu/cpu.stat"),
          Path.of("/sys/fs/cgroup/cpu,cpuacct/cpu.stat"));

  private final List<Path> cpuStat;

  QuotaCollector() {
    this(CPU_STAT);
  }

  /**
   * A collector that reads the caller's files.
   *
   * @param cpuStat paths of a control group's {@code cpu.stat}; the first readable one is used
   */
  QuotaCollector(List<Path> cpuStat) {
    this.cpuStat = cpuStat;
  }

  @Override
  public MetricSnapshots collect() {
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    List<String> lines = cpuStatLines();
    all.metricSnapshot(
        counter(
            "sluice_process_cpu_periods",
            "Periods of the container's CPU quota; none without a quota",
            value(lines, "nr_periods ")));
    all.metricSnapshot(
        counter(
            "sluice_process_cpu_throttled_periods",
            "Periods in which the CPU quota was used up",
            value(lines, "nr_throttled ")));
    return all.build();
  }

  private static CounterSnapshot counter(String name, String help, double value) {
    return CounterSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(CounterDataPointSnapshot.builder().value(value).build())
        .build();
  }

  private List<String> cpuStatLines() {
    for (Path file : cpuStat) {
      try {
        return Files.readAllLines(file);
      } catch (IOException e) {
        // another version of control groups, or none
      }
    }
    return List.of();
  }

  private static double value(List<String> lines, String name) {
    return lines.stream()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .findFirst()
        .orElse(0);
  }
}
