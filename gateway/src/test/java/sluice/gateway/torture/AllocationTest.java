package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.suite.ChildJvm;
import sluice.gateway.suite.RealMemcached;
import sluice.gateway.torture.AllocationScenario.Side;

/**
 * A request in steady state leaves nothing for the collector: not what is read, sliced, held,
 * written, routed or counted. In a JVM of its own with the launcher's flags, because leak detection
 * allocates, and other tests teach the compiler other things.
 */
class AllocationTest {
  private static final int WARM_UP = 25_000;
  private static final int REQUESTS = 10_000;
  private static final int DEPTHS = 2;

  /**
   * Bytes a request: less than the least object, 16 bytes, for one request in four. What is left is
   * what the compiler has not got to yet. The timer that looks for timeouts, which runs beside the
   * requests and allocates some 70 bytes a time, is subtracted.
   */
  private static final double NOTHING = 4;

  /** Bytes a second without any request: that timer, a hundred times a second, and Vert.x's own. */
  private static final double IDLE = 48 * 1024;

  @TempDir private Path directory;

  @Test
  void shouldAllocateNothingForARequestBeforeAServer() throws Exception {
    try (RealMemcached server = RealMemcached.start()) {
      check(
          Side.MEMCACHED,
          "{protocol: memcached, timeout: 10s, servers: [\"127.0.0.1:%d\"]}"
              .formatted(server.address().getPort()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"meta", "binary"})
  void shouldAllocateNothingForARequestThroughABridge(String dialect) throws Exception {
    try (RealMemcached server = RealMemcached.start()) {
      check(
          Side.MEMCACHED,
          "{protocol: memcached, dialect: %s, timeout: 10s, servers: [\"127.0.0.1:%d\"]}"
              .formatted(dialect, server.address().getPort()));
    }
  }

  @Test
  void shouldAllocateNothingForARequestToTheEmbeddedStore() throws Exception {
    check(Side.MEMCACHED, "{protocol: embedded, size: 16MiB}");
  }

  @Test
  void shouldAllocateNothingForARequestThatANearCacheAnswers() throws Exception {
    try (RealMemcached server = RealMemcached.start()) {
      check(
          Side.NEAR,
          "{protocol: memcached, timeout: 10s, servers: [\"127.0.0.1:%d\"]}"
              .formatted(server.address().getPort()));
    }
  }

  @Test
  void shouldAllocateNothingForAValueThatIsNotSplit() throws Exception {
    try (RealMemcached server = RealMemcached.start()) {
      check(
          Side.SPLIT,
          "{protocol: memcached, timeout: 10s, servers: [\"127.0.0.1:%d\"]}"
              .formatted(server.address().getPort()));
    }
  }

  @Test
  void shouldAllocateNothingForARequestBeforeAnIgniteNode() throws Exception {
    try (MisbehavingServer node = new MisbehavingServer(1).ignite(true)) { // it behaves
      check(
          Side.NODES,
          "{protocol: ignite, ignite: {counters: atomic}, timeout: 10s, servers: [\"127.0.0.1:%d\"]}"
              .formatted(node.address().getPort()));
    }
  }

  @Test
  void shouldAllocateNothingForARequestOfAClientOfIgnite() throws Exception {
    try (RealMemcached server = RealMemcached.start()) {
      check(
          Side.IGNITE_CLIENTS,
          "{protocol: memcached, dialect: meta, timeout: 10s, servers: [\"127.0.0.1:%d\"]}"
              .formatted(server.address().getPort()));
    }
  }

  private void check(Side side, String pool) throws Exception {
    Map<String, Double> bytes = measure(side, pool);
    assertThat(bytes).hasSize(DEPTHS * side.scenarios().size() + 1);
    assertThat(bytes.remove("IDLE 0")).isBetween(0.0, IDLE);
    bytes.values().removeIf(each -> each < NOTHING);
    assertThat(bytes)
        .as("bytes a request, by kind and depth, that are not next to nothing")
        .isEmpty();
  }

  private Map<String, Double> measure(Side side, String pool) throws Exception {
    List<String> lines =
        ChildJvm.run(
            directory,
            AllocationMain.class,
            side.name(),
            pool,
            Integer.toString(WARM_UP),
            Integer.toString(REQUESTS));
    Map<String, Double> bytes = new TreeMap<>();
    for (String line : lines) {
      String[] fields = line.split(" ", -1);
      if (fields.length == 3 && fields[0].matches("[A-Z0-9_]+")) {
        bytes.put(fields[0] + " " + fields[1], Double.parseDouble(fields[2]));
      }
    }
    return bytes;
  }
}
