package sluice.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuotaCollectorTest {
  @TempDir Path directory;

  private static double value(QuotaCollector collector, String name) {
    return collector.collect().stream()
        .filter(snapshot -> snapshot.getMetadata().getName().equals(name))
        .map(CounterSnapshot.class::cast)
        .flatMap(snapshot -> snapshot.getDataPoints().stream())
        .findFirst()
        .orElseThrow()
        .getValue();
  }

  @Test
  void shouldReadTheQuotasPeriods() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("cpu.stat"),
            "usage_usec 5\nnr_periods 120\nnr_throttled 7\nthrottled_usec 9\n");
    QuotaCollector collector = new QuotaCollector(List.of(directory.resolve("missing"), file));
    assertThat(value(collector, "sluice_process_cpu_periods")).isEqualTo(120);
    assertThat(value(collector, "sluice_process_cpu_throttled_periods")).isEqualTo(7);
    QuotaCollector without = new QuotaCollector(List.of(directory.resolve("missing")));
    assertThat(value(without, "sluice_process_cpu_periods")).isZero();
  }
}
