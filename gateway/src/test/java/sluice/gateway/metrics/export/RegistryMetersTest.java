package sluice.gateway.metrics.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.gateway.metrics.EveryMetric;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;

class RegistryMetersTest {
  private final GatewayMetrics metrics = new GatewayMetrics();

  @AfterEach
  void close() {
    metrics.close();
  }

  @ParameterizedTest
  @CsvSource({
    "sluice_requests, sluice.requests,",
    "sluice_own_time_seconds, sluice.own.time, seconds",
    "sluice_value_bytes, sluice.value, bytes",
    "sluice_bytes, sluice.bytes, bytes"
  })
  void shouldNameMetersAsMicrometerDoes(String metric, String name, String unit) {
    assertThat(MeterName.of(metric)).isEqualTo(new MeterName(name, unit));
  }

  /** A series whose labels are in the order of their names. */
  private static String sorted(String series) {
    int start = series.indexOf('{');
    return start < 0
        ? series
        : series.substring(0, start)
            + new TreeSet<>(List.of(series.substring(start + 1, series.length() - 1).split(",")));
  }

  /** Series and values of ours, except buckets and those that differ from one scrape to another. */
  private static Map<String, String> samples(String scrape) {
    Map<String, String> samples = new TreeMap<>();
    scrape
        .lines()
        .filter(line -> line.startsWith("sluice_"))
        .filter(line -> !line.contains("_bucket{") && !line.startsWith("sluice_build"))
        .filter(line -> !line.startsWith("sluice_value_bytes")) // no time, see below
        .forEach(
            line -> {
              int end = line.lastIndexOf(' ');
              boolean moves =
                  line.startsWith("sluice_memory_used")
                      || line.startsWith("sluice_process_")
                      || line.startsWith("sluice_loop_cpu");
              samples.put(sorted(line.substring(0, end)), moves ? "" : line.substring(end + 1));
            });
    return samples;
  }

  @Test
  void shouldGiveAnotherRegistryTheNamesAndValuesOfAScrape() {
    EveryMetric.count(metrics);
    PrometheusMeterRegistry other = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    RegistryMeters meters =
        new RegistryMeters(metrics::collect, other, RegistryMeters.Histograms.COUNT_AND_SUM);
    assertThat(samples(other.scrape()))
        .as("%s", meters)
        .hasSizeGreaterThan(100)
        .isEqualTo(samples(metrics.scrape()));
    other.close();
  }

  @Test
  void shouldHaveCountAndSumOfAHistogramThatIsOfNoTimes() {
    LoopMetrics loop = metrics.newLoop();
    loop.valueRead(100);
    loop.valueRead(50);
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    new RegistryMeters(
        metrics::collect, registry, RegistryMeters.Histograms.COUNT_AND_SUM, () -> 0);
    assertThat(registry.get("sluice.value").tag("direction", "read").meter().measure())
        .extracting(each -> each.getStatistic() + " " + each.getValue())
        .containsExactly("COUNT 2.0", "TOTAL 150.0");
    registry.close();
  }

  @Test
  void shouldFollowSeriesThatComeAndGo() {
    AtomicLong clock = new AtomicLong();
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    LoopMetrics loop = metrics.newLoop();
    loop.server("p", "old");
    new RegistryMeters(
        metrics::collect, registry, RegistryMeters.Histograms.COUNT_AND_SUM, clock::get);
    assertThat(registry.get("sluice.late.replies").tag("server", "old").functionCounter().count())
        .isZero();

    loop.forgetServer("p", "old");
    loop.server("p", "new").lateReplyDropped();
    loop.listener("l").request(Command.GET, Outcome.OK, 3_000_000, 1_000_000);
    assertThat(registry.find("sluice.request.time").functionTimer()).isNull();
    clock.addAndGet(TimeUnit.SECONDS.toNanos(2));
    assertThat(registry.get("sluice.in.flight").gauge().value()).as("any meter").isZero();

    assertThat(registry.find("sluice.late.replies").tag("server", "old").functionCounter())
        .isNull();
    assertThat(registry.get("sluice.late.replies").tag("server", "new").functionCounter().count())
        .isOne();
    assertThat(registry.get("sluice.request.time").functionTimer().count()).isOne();
    assertThat(registry.get("sluice.request.time").functionTimer().totalTime(TimeUnit.MILLISECONDS))
        .isEqualTo(3);
    registry.close();
  }
}
