package sluice.gateway.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.process.Gateway;

/** The scrape of a gateway that runs. */
class GatewayScrapeTest {
  private static Gateway start(String metrics) throws Exception {
    return Gateways.start(
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
  }

  /** Sends requests to an address, and returns all replies until the connection closes. */
  private static String ask(String to, String requests) throws IOException {
    String[] address = to.split(":");
    try (Socket client = new Socket(address[0], Integer.parseInt(address[1]))) {
      client.setSoTimeout(60_000);
      client.getOutputStream().write(requests.getBytes(UTF_8));
      return new String(client.getInputStream().readAllBytes(), UTF_8);
    }
  }

  private static String scrape(String metrics) throws Exception {
    Gateway gateway = start(metrics);
    try {
      ask(gateway.address("cache"), "get a\r\nquit\r\n");
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

  @Test
  void shouldHaveNoMetersOfMadeUpMethods() throws Exception {
    Gateway gateway = start("{vertx: true}");
    try {
      StringBuilder requests = new StringBuilder();
      for (int i = 0; i < 20; i++) {
        requests.append("MADEUP").append(i).append(" / HTTP/1.1\r\nHost: x\r\n\r\n");
      }
      requests.append("GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      String replies = ask(gateway.adminAddress(), requests.toString());
      assertThat(replies.split("HTTP/1.1 405 ", -1)).hasSize(21);
      assertThat(replies).contains("HTTP/1.1 200 ");
      assertThat(gateway.scrape()).contains("\nvertx_http_server_").doesNotContain("MADEUP");
    } finally {
      gateway.close().await(60, TimeUnit.SECONDS);
    }
  }
}
