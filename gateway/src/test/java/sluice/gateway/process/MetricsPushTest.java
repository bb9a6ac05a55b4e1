package sluice.gateway.process;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.vertx.core.Vertx;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.testkit.Patience;

class MetricsPushTest {
  /** Each byte comes before the timeout of a read. */
  @Test
  void shouldStopAlthoughAResponseComesByteByByte() throws Exception {
    Vertx vertx = Vertx.vertx();
    GatewayMetrics metrics = new GatewayMetrics();
    try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Configuration configuration =
          Loader.parse(
                  "push.yaml",
                  """
                  listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
                  routes: {cache: [{pool: cache}]}
                  pools: {cache: {protocol: embedded}}
                  metrics: {otlp: {url: "http://127.0.0.1:%d/v1/metrics", interval: 1s, timeout: 1s}}
                  """
                      .formatted(receiver.getLocalPort()))
              .configuration();
      MetricsPush push = new MetricsPush(metrics);
      push.start(configuration);
      try (Socket pushed = receiver.accept()) {
        OutputStream out = pushed.getOutputStream();
        out.write("HTTP/1.1 200 OK\r\nX: ".getBytes(US_ASCII));
        vertx.setPeriodic(
            100,
            id -> {
              try {
                out.write('x');
              } catch (java.io.IOException closed) {
                vertx.cancelTimer(id);
              }
            });
        push.stop(vertx).await(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
      }
    } finally {
      vertx.close().await(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
      metrics.close();
    }
  }
}
