package sluice.gateway.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.config.Loader;
import sluice.config.model.Configuration;

/** Near caches that a new configuration brings. */
class NewCachesTest {
  private static Configuration configuration(String rule, String connections) {
    return Loader.parse(
            "test.yaml",
            """
            listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
            routes: {cache: [{pool: p%s}]}
            pools:
              p:
                servers: ["127.0.0.1:1"]
                timeout: 10s
                queueTimeout: 7s
                connections: {%s}
            """
                .formatted(rule, connections))
        .configuration();
  }

  /**
   * The connections of event loops that share them may be paused again and again. A change of a
   * client that is gone may wait for half a minute behind replies that take long.
   */
  @ParameterizedTest
  @CsvSource({"perEventLoop: 1, 30", "max: 1, 47"})
  void shouldKeepNothingAsLongAsRequestsOfTheFormerConfigurationMayLast(
      String connections, long seconds) {
    RoutingGraph former = RoutingGraph.of(configuration("", connections), () -> null);
    long earliest = System.nanoTime();
    RoutingGraph next =
        former.next(configuration(", nearCache: {size: 1MiB, ttl: 1h}", "perEventLoop: 1"));
    long latest = System.nanoTime();
    next.begin();
    try {
      long from = Objects.requireNonNull(next.nearCaches("cache").get(0)).fillsFrom();
      long longest = TimeUnit.SECONDS.toNanos(seconds);
      assertThat(from - longest).isBetween(earliest, latest);
    } finally {
      next.close();
    }
  }
}
