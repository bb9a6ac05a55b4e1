package sluice.gateway.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.gateway.near.NearCache;

/** Near caches that a new configuration brings. */
class NewCachesTest {
  private static final String NEAR = ", nearCache: {size: 1MiB, ttl: 1h}";
  private static final String CONNECTIONS = "connections: {perEventLoop: 1}";
  private static final String VALUES = "values: {replace: [{find: a, with: b}]}";

  private static Configuration configuration(String rule, String pool) {
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
                %s
              q: {servers: ["127.0.0.1:2"]}
            """
                .formatted(rule, pool))
        .configuration();
  }

  /**
   * The connections of event loops that share them may be paused again and again. A change of a
   * client that is gone may wait for half a minute behind replies that take long.
   */
  @ParameterizedTest
  @CsvSource({"connections: {perEventLoop: 1}, 30", "connections: {max: 1}, 47"})
  void shouldKeepNothingAsLongAsRequestsOfTheFormerConfigurationMayLast(
      String connections, long seconds) {
    RoutingGraph former = RoutingGraph.of(configuration("", connections), () -> null);
    long earliest = System.nanoTime();
    RoutingGraph next = former.next(configuration(NEAR, CONNECTIONS));
    long latest = System.nanoTime();
    next.begin();
    try {
      long from = cache(next).fillsFrom();
      long longest = TimeUnit.SECONDS.toNanos(seconds);
      assertThat(from - longest).isBetween(earliest, latest);
    } finally {
      next.close();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        VALUES + "|" + VALUES,
        "compression: {flag: 0x10000} | compression: {flag: 0x10000, above: 1GiB, algorithm: lz4}"
      })
  void shouldNotReplaceOneWhileTheFormOfTheValuesStays(String before, String after) {
    assertThat(isReplaced(before, after)).isFalse();
  }

  /** The former one has values in the former form. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        CONNECTIONS + "|" + VALUES,
        CONNECTIONS + "| compression: {flag: 0x10000}",
        "compression: {flag: 0x10000} | compression: {flag: 0x20000}",
        "compression: {flag: 0x10000, onCorrupt: pass} | compression: {flag: 0x10000}"
      })
  void shouldReplaceOneWhenTheFormOfTheValuesChanges(String before, String after) {
    assertThat(isReplaced(before, after)).isTrue();
  }

  /** Whether the near cache of a pool is another when these keys of the pool change. */
  private static boolean isReplaced(String before, String after) {
    RoutingGraph former = RoutingGraph.of(configuration(NEAR, before), () -> null);
    former.begin();
    RoutingGraph next = former.next(configuration(NEAR, after));
    next.begin();
    try {
      return cache(next) != cache(former);
    } finally {
      next.close();
    }
  }

  /**
   * A client of the former configuration may read a key from its former pool behind a change in the
   * other one.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "percent: 10% | percent: 20%",
        "percent: 10% | 'percent: 10%, from: 2026-01-01T00:00:00Z, until: 2026-01-02T00:00:00Z'"
      })
  void shouldReplaceOneWhenOtherKeysMoveToAnotherPool(String before, String after) {
    String migrate = NEAR + ", migrate: {to: q, %s}";
    RoutingGraph former =
        RoutingGraph.of(configuration(migrate.formatted(before), CONNECTIONS), () -> null);
    former.begin();
    RoutingGraph same = former.next(configuration(migrate.formatted(before), CONNECTIONS));
    same.begin();
    RoutingGraph next = same.next(configuration(migrate.formatted(after), CONNECTIONS));
    next.begin();
    try {
      assertThat(cache(same)).isSameAs(cache(former));
      assertThat(cache(next)).isNotSameAs(cache(same));
    } finally {
      next.close();
    }
  }

  private static NearCache cache(RoutingGraph of) {
    return Objects.requireNonNull(of.nearCaches("cache").get(0));
  }
}
