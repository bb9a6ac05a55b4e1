package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import sluice.gateway.fixtures.ChildJvm;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.fixtures.SideBySide;
import sluice.gateway.torture.AllocationScenario.Side;
import sluice.testkit.misbehaving.MisbehavingServer;

/**
 * A request in steady state leaves nothing for the collector: not what is read, sliced, held,
 * written, routed or counted. In a JVM of its own with the launcher's flags, because leak detection
 * allocates, and other tests teach the compiler other things.
 */
class AllocationTest {
  private static final int REQUESTS = 6_000;

  /** Requests in flight at once, and one at a time. */
  private static final List<Integer> DEPTHS = List.of(16, 1);

  /** The first of them, where the other is left to the long run. */
  private static final List<Integer> FIRST_DEPTH = DEPTHS.subList(0, 1);

  /** How many of the less common sides a short run checks. */
  private static final int FEW = 2;

  /**
   * Bytes a request: less than the least object, 16 bytes, for one request in two. What is left is
   * what the compiler has not got to yet. The timer that looks for timeouts, which runs beside the
   * requests and allocates some 70 bytes a time, is subtracted.
   */
  private static final double NOTHING = 8;

  /** Bytes a second without any request: that timer, a hundred times a second, and Vert.x's own. */
  private static final double IDLE = 48 * 1024;

  @TempDir private Path directory;

  /**
   * How many JVMs at a time: in each, one thread works and the others wait for it, and what is
   * counted does not depend on how long it takes.
   */
  private static final int AT_ONCE = 2;

  private static final Duration LIMIT = Duration.ofMinutes(25);

  /** The commonest side, and a few of the others: other ones in each run. */
  @TestFactory
  List<DynamicTest> shouldAllocateNothingForARequest() {
    List<String> others = new ArrayList<>(sides().keySet());
    Collections.shuffle(others);
    SideBySide chosen =
        new SideBySide().add("before a server", () -> beforeAServer(Side.MEMCACHED, "", DEPTHS));
    for (String side : others.subList(0, FEW)) {
      chosen.add(side, sides().get(side));
    }
    return chosen.tests(AT_ONCE, LIMIT);
  }

  private Map<String, Executable> sides() {
    return Map.of(
        "bridged to meta",
        () -> bridged("meta", FIRST_DEPTH),
        "bridged to binary",
        () -> bridged("binary", FIRST_DEPTH),
        "of a value that is not split",
        () -> beforeAServer(Side.SPLIT, "", FIRST_DEPTH),
        "before an Ignite node",
        this::beforeAnIgniteNode,
        "to the embedded store",
        () -> check(Side.MEMCACHED, "{protocol: embedded, size: 16MiB}", DEPTHS),
        "of a client of Ignite",
        () -> ofAClientOfIgnite(FIRST_DEPTH),
        "that a near cache answers",
        () -> beforeAServer(Side.NEAR, "", DEPTHS));
  }

  @Tag("long")
  @TestFactory
  List<DynamicTest> shouldAllocateNothingForARequestOfAnySide() {
    SideBySide all = new SideBySide();
    sides().forEach(all::add);
    return all.tests(AT_ONCE, LIMIT);
  }

  @Tag("long")
  @TestFactory
  List<DynamicTest> shouldAllocateNothingForARequestAtAnyDepth() {
    return new SideBySide()
        .add("bridged to meta", () -> bridged("meta", DEPTHS))
        .add("bridged to binary", () -> bridged("binary", DEPTHS))
        .add("of a value that is not split", () -> beforeAServer(Side.SPLIT, "", DEPTHS))
        .add("of a client of Ignite", () -> ofAClientOfIgnite(DEPTHS))
        .tests(AT_ONCE, LIMIT);
  }

  private void bridged(String dialect, List<Integer> depths) throws Exception {
    beforeAServer(Side.MEMCACHED, "dialect: " + dialect + ", ", depths);
  }

  private void ofAClientOfIgnite(List<Integer> depths) throws Exception {
    beforeAServer(Side.IGNITE_CLIENTS, "dialect: meta, ", depths);
  }

  private void beforeAServer(Side side, String dialect, List<Integer> depths) throws Exception {
    try (RealMemcached server = RealMemcached.start()) {
      check(
          side,
          "{protocol: memcached, %stimeout: 10s, connections: {connectTimeout: 10s}, servers: [\"127.0.0.1:%d\"]}"
              .formatted(dialect, server.address().getPort()),
          depths);
    }
  }

  private void beforeAnIgniteNode() throws Exception {
    try (MisbehavingServer node = new MisbehavingServer(1).ignite(true)) { // it behaves
      check(
          Side.NODES,
          "{protocol: ignite, ignite: {counters: atomic}, timeout: 10s, connections: {connectTimeout: 10s}, servers: [\"127.0.0.1:%d\"]}"
              .formatted(node.address().getPort()),
          DEPTHS);
    }
  }

  private void check(Side side, String pool, List<Integer> depths) throws Exception {
    Map<String, Double> bytes = measure(side, pool, depths);
    assertThat(bytes).hasSize(depths.size() * side.scenarios().size() + 1);
    assertThat(bytes.remove("IDLE 0")).isBetween(0.0, IDLE);
    bytes.values().removeIf(each -> each < NOTHING);
    assertThat(bytes)
        .as("bytes a request, by kind and depth, that are not next to nothing")
        .isEmpty();
  }

  private Map<String, Double> measure(Side side, String pool, List<Integer> depths)
      throws Exception {
    List<String> lines =
        ChildJvm.run(
            Files.createTempDirectory(directory, side.name()),
            AllocationMain.class,
            side.name(),
            pool,
            Integer.toString(REQUESTS),
            depths.stream().map(String::valueOf).collect(Collectors.joining(",")));
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
