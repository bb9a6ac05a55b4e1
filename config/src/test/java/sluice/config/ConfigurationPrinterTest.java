package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.config.model.Configuration;

class ConfigurationPrinterTest {
  static Stream<String> validFiles() {
    return Samples.ALL.stream();
  }

  @ParameterizedTest
  @MethodSource("validFiles")
  void shouldPrintWhatLoadsToTheSame(String yaml) {
    Configuration configuration = Samples.load(yaml).configuration();
    String asYaml = ConfigurationPrinter.toYaml(configuration);
    String asJson = ConfigurationPrinter.toJson(configuration);
    assertThat(Samples.load(asYaml).configuration()).isEqualTo(configuration);
    assertThat(Samples.load(asJson).configuration()).isEqualTo(configuration);
    assertThat(asJson).contains("\"drain\"", "\"idle\"", "\"connectTimeout\"");
  }

  @Test
  void shouldMaskTheUserAndTheQueryOfAUrl() {
    Configuration configuration =
        Samples.load(
                "metrics: {otlp: {url: 'https://name:pass@collector:4318/v1?api-key=token'}}\n"
                    + Samples.SMALL)
            .configuration();
    assertThat(configuration.metrics().otlp().orElseThrow().url().toString())
        .isEqualTo("https://name:pass@collector:4318/v1?api-key=token");
    assertThat(ConfigurationPrinter.toYaml(configuration))
        .contains("https://***@collector:4318/v1?***")
        .doesNotContain("pass", "token");
  }

  @Test
  void shouldMaskTheHeadersForTheReceiverOfMetrics() {
    Configuration configuration =
        Samples.load(
                """
                metrics:
                  otlp:
                    url: https://collector:4318/v1/metrics
                    headers: {Api-Key: token}
                    resource: {service.name: cache}
                """
                    + Samples.SMALL)
            .configuration();
    assertThat(configuration.metrics().otlp().orElseThrow().headers())
        .containsEntry("Api-Key", "token");
    assertThat(configuration.metrics().toString()).doesNotContain("token");
    assertThat(ConfigurationPrinter.toYaml(configuration))
        .contains("https://collector:4318/v1/metrics", "Api-Key", "***", "service.name")
        .doesNotContain("token");
  }
}
