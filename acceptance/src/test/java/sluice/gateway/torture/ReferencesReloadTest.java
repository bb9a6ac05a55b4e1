package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import sluice.config.LoadResult;
import sluice.config.Loader;

/** What the admin port shows of values from elsewhere while the configuration changes. */
class ReferencesReloadTest {
  private static final String DRAIN = "${env:SLUICE_TEST_UNSET:-7s}";
  private static final String SIZE = "${env:SLUICE_TEST_UNSET:-63MiB}";

  private static String yaml(String drain, String size) {
    return """
    admin: {bind: 127.0.0.1:0}
    process: {eventLoops: 1, drain: "%s"}
    listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
    routes: {cache: [{pool: one}]}
    pools: {one: {protocol: embedded, size: "%s"}}
    """
        .formatted(drain, size);
  }

  private static void reload(RunningGateway gateway, String yaml) throws TimeoutException {
    LoadResult next = Loader.parse("next.yaml", yaml);
    assertThat(next.problems()).isEmpty();
    gateway.gateway().follow(next.configuration()).await(60, TimeUnit.SECONDS);
  }

  /** The values stay in use, and a value behind a reference may be a secret. */
  @Test
  void shouldBeTheReferencesOfValuesThatStayUntilARestart() throws Exception {
    try (RunningGateway gateway = RunningGateway.of(yaml(DRAIN, SIZE))) {
      String config = gateway.admin("/config");
      assertThat(config).contains(DRAIN, SIZE);
      reload(gateway, yaml("5s", "96MiB"));
      assertThat(gateway.admin("/config")).isEqualTo(config);
      reload(gateway, yaml(DRAIN.replace("7s", "6s"), "96MiB"));
      assertThat(gateway.admin("/config")).isEqualTo(config);
    }
  }

  @Test
  void shouldBeTheValuesThatStayIfTheyWereWritten() throws Exception {
    try (RunningGateway gateway = RunningGateway.of(yaml("7s", "63MiB"))) {
      String config = gateway.admin("/config");
      assertThat(config).contains("7s", "63MiB").doesNotContain("${");
      reload(gateway, yaml(DRAIN, SIZE));
      assertThat(gateway.admin("/config")).isEqualTo(config);
    }
  }

  @Test
  void shouldBeThoseOfTheNewestFileForValuesThatFollowIt() throws Exception {
    String yaml = yaml("7s", "63MiB");
    String reference = "${env:SLUICE_TEST_UNSET:-3s}";
    String limited = "route: cache, limits: {stall: \"%s\"}}";
    try (RunningGateway gateway =
        RunningGateway.of(yaml.replace("route: cache}", limited.formatted(reference)))) {
      assertThat(gateway.admin("/config")).contains(reference);
      reload(gateway, yaml.replace("route: cache}", limited.formatted("4s")));
      assertThat(gateway.admin("/config")).contains("stall: 4s").doesNotContain(reference);
    }
  }
}
