package sluice.gateway.process;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.vertx.core.Vertx;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.testkit.Patience;

class MetricsPushTest {
  private static Configuration configuration(ServerSocket receiver, String interval) {
    return Loader.parse(
            "push.yaml",
            """
            listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
            routes: {cache: [{pool: cache}]}
            pools: {cache: {protocol: embedded}}
            metrics: {otlp: {url: "http://127.0.0.1:%d/v1/metrics", interval: %s, timeout: 1s}}
            """
                .formatted(receiver.getLocalPort(), interval))
        .configuration();
  }

  /** They are made one at a time on a worker, and take long for a large configuration. */
  @Test
  void shouldPushALastTimeWhileAnAnswerOfTheAdminPortIsMade() throws Exception {
    Vertx vertx = Vertx.vertx();
    GatewayMetrics metrics = new GatewayMetrics();
    CountDownLatch unblock = new CountDownLatch(1);
    try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      receiver.setSoTimeout((int) Patience.LIMIT.toMillis());
      MetricsPush push = new MetricsPush(metrics);
      push.start(configuration(receiver, "1h"));
      vertx.runOnContext(
          v -> {
            var unused =
                vertx.executeBlocking(
                    () -> {
                      unblock.await();
                      return null;
                    });
            var unusedStop = push.stop(vertx);
          });
      receiver.accept().close();
    } finally {
      unblock.countDown();
      vertx.close().await(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
      metrics.close();
    }
  }

  /** Each byte comes before the timeout of a read. */
  @Test
  void shouldStopAlthoughAResponseComesByteByByte() throws Exception {
    Vertx vertx = Vertx.vertx();
    GatewayMetrics metrics = new GatewayMetrics();
    try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      MetricsPush push = new MetricsPush(metrics);
      push.start(configuration(receiver, "1s"));
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
