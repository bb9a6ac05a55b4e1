package sluice.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Periods of a CPU quota, and those in which it was used up.
 *
 * @param periods 0 without a quota
 */
record Throttling(double periods, double throttled) {
  private static final List<Path> FILES =
      List.of(
          Path.of("/sys/fs/cgroup/cpu.stat"),
          Path.of("/sys/fs/cgroup/cpu/cpu.stat"),
          Path.of("/sys/fs/cgroup/cpu,cpuacct/cpu.stat"));

  /** The current values of this process's control group. */
  static Throttling now() {
    double periods = 0;
    double throttled = 0;
    for (Path file : FILES) {
      try {
        for (String line : Files.readAllLines(file)) {
          if (line.startsWith("nr_periods ")) {
            periods = Double.parseDouble(line.substring("nr_periods ".length()));
          } else if (line.startsWith("nr_throttled ")) {
            throttled = Double.parseDouble(line.substring("nr_throttled ".length()));
          }
        }
        break;
      } catch (IOException e) {
        // another version of control groups, or none
      }
    }
    return new Throttling(periods, throttled);
  }

  /** The gateway's own values from its metrics. */
  static Throttling of(Metrics metrics) {
    return new Throttling(
        metrics.sum("sluice_process_cpu_periods_total"),
        metrics.sum("sluice_process_cpu_throttled_periods_total"));
  }

  /** The share of periods since an earlier reading that were throttled: 0 to 1. */
  double since(Throttling before) {
    double passed = periods - before.periods;
    return passed <= 0 ? 0 : (throttled - before.throttled) / passed;
  }
}
