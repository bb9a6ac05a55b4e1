package sluice.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.embedded.EmbeddedStore;
import sluice.gateway.routing.RoutingGraph;

/** What is configured is held against what the JVM allows. */
class DirectMemoryTest {
  private static final long MIB = 1024 * 1024;
  private static final String YAML =
      """
      process: {memory: 64MiB}
      listeners: {l: {bind: 127.0.0.1:0, route: r}}
      routes: {r: [{match: {prefix: a}, pool: a}, {match: {prefix: b}, pool: b}, {pool: c}]}
      pools:
        a: {protocol: embedded, size: 100MiB}
        b: {protocol: embedded, size: 28MiB}
        c: {servers: [127.0.0.1:1]}
      """;
  private static final Configuration CONFIGURATION = configuration(YAML);

  private static Configuration configuration(String yaml) {
    LoadResult loaded = Loader.parse("memory.yaml", yaml);
    assertThat(loaded.problems()).isEmpty();
    return loaded.configuration();
  }

  private static boolean fits(RoutingGraph inUse, String yaml, long limitBytes) {
    return DirectMemory.shortage(inUse, configuration(yaml), limitBytes).isEmpty();
  }

  @Test
  void shouldNameAllNumbersWhenTheyDoNotFit() {
    assertThat(DirectMemory.shortage(CONFIGURATION, 192 * MIB)).isEmpty();
    assertThat(DirectMemory.shortage(CONFIGURATION, 192 * MIB - 1))
        .hasValue(
            "embedded pools and near caches of 134217728 bytes and process.memory of 67108864 bytes"
                + " need more than the JVM's limit of 201326591 bytes (-XX:MaxDirectMemorySize)");
  }

  /** Its requests are still there, and so are those of an earlier configuration. */
  @Test
  void shouldCountTheStoresOfRemovedPools() {
    String renamed = YAML.replace("pool: b", "pool: d").replace("  b:", "  d:");
    RoutingGraph first = RoutingGraph.of(CONFIGURATION, () -> null);
    assertThat(fits(first, renamed, 220 * MIB)).isTrue();
    assertThat(DirectMemory.shortage(first, configuration(renamed), 220 * MIB - 1).orElseThrow())
        .startsWith("embedded pools and near caches of 163577856 bytes and");
    RoutingGraph second = first.next(configuration(renamed));
    List<EmbeddedStore> removed = second.replaced(first);
    assertThat(fits(second, YAML, 248 * MIB)).isTrue();
    assertThat(fits(second, YAML, 248 * MIB - 1)).isFalse();
    second.release(removed);
    assertThat(fits(second, YAML, 220 * MIB)).isTrue();
    second.close();
  }

  @Test
  void shouldCountNearCaches() {
    String cached = YAML.replace("{pool: c}", "{pool: c, nearCache: {size: 8MiB, ttl: 5s}}");
    RoutingGraph graph = RoutingGraph.of(CONFIGURATION, () -> null);
    assertThat(fits(graph, cached, 200 * MIB)).isTrue();
    assertThat(fits(graph, cached, 200 * MIB - 1)).isFalse();
    graph.close();
  }

  /** The start has warned of it. */
  @Test
  void shouldAcceptWhatNeedsNoMoreThanTheConfigurationInUse() {
    RoutingGraph graph = RoutingGraph.of(CONFIGURATION, () -> null);
    assertThat(fits(graph, YAML.replace("127.0.0.1:1", "127.0.0.1:2"), 1)).isTrue();
    assertThat(fits(graph, YAML.replace("{match: {prefix: b}, pool: b}, ", ""), 1)).isTrue();
    graph.close();
  }

  @Test
  void shouldKnowTheLimitOfThisJvm() {
    assertThat(DirectMemory.limitBytes()).isPositive();
  }
}
