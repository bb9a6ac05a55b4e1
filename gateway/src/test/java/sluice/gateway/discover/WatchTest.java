package sluice.gateway.discover;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.config.model.Address;
import sluice.config.model.DiscoverConfig;
import sluice.config.model.DiscoverSource;
import sluice.config.model.ServerConfig;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.testkit.Patience;

class WatchTest {
  private static final int EVERY_MILLIS = 200;
  private static final DiscoverConfig CONFIG =
      new DiscoverConfig(
          DiscoverSource.DNS, "cache.example", 11211, EVERY_MILLIS, 1, Optional.empty());
  private static final Found FOUND =
      new Found(
          List.of(new ServerConfig(new Address.Tcp("127.0.0.1", 1), 1, "s", Optional.empty())));

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void stop() throws Exception {
    vertx.close().await(20, TimeUnit.SECONDS);
  }

  /** Each reload begins anew what it keeps. */
  @Test
  void shouldAskAlthoughReloadsComeMoreOften() throws Exception {
    CountDownLatch asked = new CountDownLatch(2);
    Source source =
        known -> {
          asked.countDown();
          return Future.succeededFuture(FOUND);
        };
    vertx.runOnContext(
        v -> {
          Watch watch =
              new Watch(
                  vertx,
                  new GatewayMetrics(),
                  (pool, from, servers, isWanted) -> Future.succeededFuture(),
                  "cache",
                  CONFIG,
                  source);
          watch.run(CONFIG);
          vertx.setPeriodic(EVERY_MILLIS / 20, id -> watch.run(CONFIG));
        });
    assertThat(asked.await(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }
}
