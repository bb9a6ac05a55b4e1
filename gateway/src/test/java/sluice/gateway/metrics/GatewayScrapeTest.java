package sluice.gateway.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.Loader;
import sluice.gateway.process.Gateway;
import sluice.gateway.suite.Gateways;

/** The scrape of a gateway that runs. */
class GatewayScrapeTest {
  private static String scrape(String metrics) throws Exception {
    Gateway gateway =
        Gateways.start(
                Loader.parse(
                        "f",
                        """
                        admin: {bind: 127.0.0.1:0}
                        process: {eventLoops: 1, drain: 0ms}
                        metrics: %s
                        listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
                        routes: {cache: [{pool: cache}]}
                        pools: {cache: {protocol: embedded, size: 2MiB}}
                        """
                            .formatted(metrics))
                    .configuration())
            .await(60, TimeUnit.SECONDS);
    try {
      String[] address = gateway.address("cache").split(":");
      try (Socket client = new Socket(address[0], Integer.parseInt(address[1]))) {
        client.setSoTimeout(60_000);
        client.getOutputStream().write("get a\r\nquit\r\n".getBytes(UTF_8));
        client.getInputStream().readAllBytes();
      }
      return gateway.scrape();
    } finally {
      gateway.close().await(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldHaveNothingForPromtoolToComplainAbout() throws Exception {
    String scrape = scrape("{}");
    assertThat(scrape).contains("sluice_requests_total{").doesNotContain("vertx_");
    assertThat(ScrapeLintTest.complaintsAbout(scrape)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldHaveTheMetersOfVertxIfTheyAreAskedFor(boolean asked) throws Exception {
    assertThat(scrape("{vertx: " + asked + "}").contains("\nvertx_")).isEqualTo(asked);
  }
}
