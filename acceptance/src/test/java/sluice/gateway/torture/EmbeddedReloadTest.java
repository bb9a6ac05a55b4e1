package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static sluice.gateway.torture.Scenario.get;
import static sluice.gateway.torture.Scenario.set;

import io.netty.util.internal.PlatformDependent;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import sluice.config.LoadResult;
import sluice.config.Loader;

/** Embedded stores of a configuration that changes. */
class EmbeddedReloadTest {
  private static String yaml(String pool, String itemSize) {
    return """
    admin: {bind: 127.0.0.1:0}
    process: {eventLoops: 1}
    listeners:
      cache: {bind: 127.0.0.1:0, route: cache, limits: {itemSize: %s}}
    routes: {cache: [{pool: %s}]}
    pools:
      %s: {protocol: embedded, size: 64MiB}
    """
        .formatted(itemSize, pool, pool);
  }

  private static void reload(RunningGateway gateway, String yaml) throws TimeoutException {
    LoadResult next = Loader.parse("next.yaml", yaml);
    assertThat(next.problems()).isEmpty();
    gateway.gateway().follow(next.configuration()).await(20, TimeUnit.SECONDS);
  }

  /** What was changed or deleted meanwhile would be back with the old store. */
  @Test
  void shouldBeginAnewAfterItsPoolWasAway() throws Exception {
    try (RunningGateway gateway = RunningGateway.of(yaml("one", "1MiB"));
        RawClient client = new RawClient(gateway.address())) {
      assertThat(set(client, "k", "old")).isEqualTo("STORED");
      reload(gateway, yaml("two", "1MiB"));
      assertThat(get(client, "k")).isEqualTo("END");
      assertThat(set(client, "k", "new")).isEqualTo("STORED");
      reload(gateway, yaml("one", "1MiB"));
      assertThat(get(client, "k")).isEqualTo("END");
    }
  }

  /** Its memory would be used up hours later, and then no client could be read from. */
  @Test
  void shouldNotBeginWithoutTheMemoryForIt() throws Exception {
    String before = yaml("one", "1MiB");
    String large =
        "  two: {protocol: embedded, size: %dMiB}\n"
            .formatted(PlatformDependent.maxDirectMemory() >> 20);
    try (RunningGateway gateway = RunningGateway.of(before);
        RawClient client = new RawClient(gateway.address())) {
      assertThat(set(client, "k", "v")).isEqualTo("STORED");
      assertThatThrownBy(() -> reload(gateway, before + large))
          .hasMessageContaining("-XX:MaxDirectMemorySize");
      assertThat(get(client, "k")).isEqualTo("v");
      assertThat(gateway.admin("/config")).doesNotContain("two:");
    }
  }

  /** What the admin port says is what runs. */
  @Test
  void shouldKeepItsSizeUntilARestart() throws Exception {
    String before = yaml("one", "1MiB");
    try (RunningGateway gateway = RunningGateway.of(before);
        RawClient client = new RawClient(gateway.address())) {
      String config = gateway.admin("/config");
      assertThat(config).contains("64MiB");
      reload(gateway, before.replace("64MiB", "96MiB"));
      assertThat(gateway.admin("/config")).isEqualTo(config);
      client.send("stats\r\n");
      String line = client.line();
      while (!line.startsWith("STAT limit_maxbytes ")) {
        line = client.line();
      }
      assertThat(line).isEqualTo("STAT limit_maxbytes " + (64 << 20));
    }
  }

  @Test
  void shouldKeepItsItemsAndTakeLargerOnes() throws Exception {
    try (RunningGateway gateway = RunningGateway.of(yaml("one", "1MiB"));
        RawClient client = new RawClient(gateway.address())) {
      String large = "x".repeat(1024 * 1024 * 3 / 2);
      assertThat(set(client, "k", "v")).isEqualTo("STORED");
      assertThat(set(client, "l", large)).isEqualTo("SERVER_ERROR object too large for cache");
      reload(gateway, yaml("one", "4MiB"));
      assertThat(set(client, "l", large)).isEqualTo("STORED");
      assertThat(get(client, "l")).isEqualTo(large);
      assertThat(get(client, "k")).isEqualTo("v");
      reload(gateway, yaml("one", "1MiB"));
      assertThat(set(client, "l", large)).isEqualTo("SERVER_ERROR object too large for cache");
    }
  }
}
