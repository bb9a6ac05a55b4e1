package sluice.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class VertxMetersTest {
  @Test
  void shouldStandBesideOurs() throws Exception {
    GatewayMetrics metrics = new GatewayMetrics();
    metrics.newLoop().listener("cache").connectionOpened();
    Vertx vertx =
        Vertx.builder()
            .with(
                new VertxOptions()
                    .setEventLoopPoolSize(1)
                    .setMetricsOptions(new MicrometerMetricsOptions().setEnabled(true)))
            .withMetrics(new MicrometerMetricsFactory(metrics.registry()))
            .build();
    try {
      var server = vertx.createNetServer().connectHandler(socket -> {}).listen(0, "127.0.0.1");
      int port = server.await(10, TimeUnit.SECONDS).actualPort();
      var socket = vertx.createNetClient().connect(port, "127.0.0.1").await(10, TimeUnit.SECONDS);
      Exposition exposition = Exposition.parse(metrics.scrape());
      assertThat(exposition.series())
          .anyMatch(series -> series.startsWith("vertx_net_client_active_connections"))
          .contains("sluice_connections{listener=\"cache\"}");
      socket.close().await(10, TimeUnit.SECONDS);
    } finally {
      vertx.close().await(10, TimeUnit.SECONDS);
      metrics.close();
    }
  }
}
