package sluice.gateway.cut;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.process.Gateway;

/**
 * Wherever a stream is cut, its reader says the same. The tests make some of the cuts, others in
 * each run; the long run makes them all.
 */
class EveryCutTest {
  private static final Logger LOG = LoggerFactory.getLogger(EveryCutTest.class);
  private static final int LANES = 4;

  /** Of so many cases one, where it is not the cases that matter. */
  private static final int SOME = 10;

  /** Of so many places of a stream one is cut, besides its ends: others in each run. */
  private static final int FEW = 6;

  private interface Cutter {
    List<String> cut(Lane lane, CutCase each) throws IOException;
  }

  /** Whether memcached shortens a counter depends on whether it has sent the value before. */
  private static final String SHRINKS = "text-decr-hit-shrinks";

  /** A gat of over 2048 bytes is answered if it comes with its end, as by memcached. */
  private static final String LONG_READ = "text-gats-line-over-2k-split";

  private static List<CutCase> cases(boolean bridged) {
    List<CutCase> cases = new ArrayList<>(CutCase.own()); // the longest first
    cases.addAll(CutCase.recorded());
    cases.removeIf(each -> bridged && each.name().equals(SHRINKS));
    cases.removeIf(each -> each.name().equals(LONG_READ));
    return cases;
  }

  @Test
  void shouldAnswerRequestsForAServerAlikeWhereverTheyAreCut() throws Exception {
    cutAll("same", 1, FEW, Lane::cutRequest);
  }

  @Test
  void shouldAnswerRequestsForTheStoreAlikeWhereverTheyAreCut() throws Exception {
    cutAll(null, 1, FEW, Lane::cutRequest);
  }

  @Test
  void shouldPassRepliesAlikeWhereverTheyAreCut() throws Exception {
    cutAll("same", 1, FEW, Lane::cutReplies);
  }

  @Test
  void shouldBridgeRepliesAlikeWhereverTheyAreCut() throws Exception {
    cutAll("meta", 1, FEW, Lane::cutReplies);
  }

  /** Some of them, where most replies come by way of another event loop's connection. */
  @ParameterizedTest
  @ValueSource(strings = {"same", "meta"})
  void shouldPassRepliesBetweenEventLoopsAlikeWhereverTheyAreCut(String dialect) throws Exception {
    cutAll(dialect, 3, 1, Lane::cutReplies);
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"same", "text", "meta", "binary"})
  void shouldAnswerRequestsAlikeAtEveryCut(String dialect) throws Exception {
    cutAll(dialect, 1, 1, Lane::cutRequest);
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"same", "text", "meta", "binary"})
  void shouldPassRepliesAlikeAtEveryCut(String dialect) throws Exception {
    cutAll(dialect, 1, 1, Lane::cutReplies);
  }

  /**
   * Without a dialect there are no servers, but a store.
   *
   * @param loops event loops, which share connections if there are more than one
   * @param every of so many places of a stream one is cut
   */
  private static void cutAll(String dialect, int loops, int every, Cutter cutter) throws Exception {
    boolean servers = dialect != null;
    long seed = System.nanoTime();
    List<AutoCloseable> started = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(LANES);
    Queue<String> differences = new ConcurrentLinkedQueue<>();
    try {
      List<CuttingProxy> proxies = new ArrayList<>();
      for (int i = 0; i < LANES && servers; i++) {
        RealMemcached memcached = RealMemcached.start();
        started.add(memcached);
        proxies.add(new CuttingProxy(memcached.address()));
        started.add(proxies.get(i));
      }
      Gateway gateway =
          Gateways.start(Loader.parse("cuts.yaml", yaml(proxies, dialect, loops)).configuration())
              .await(20, TimeUnit.SECONDS);
      started.add(() -> gateway.close().await(20, TimeUnit.SECONDS));
      List<Lane> lanes = new ArrayList<>();
      for (int i = 0; i < LANES; i++) {
        CuttingProxy proxy = servers ? proxies.get(i) : null;
        lanes.add(
            new Lane(
                address(gateway, "lane" + i),
                address(gateway, "control"),
                loops,
                proxy,
                seed,
                every));
      }
      Queue<CutCase> cases = new ConcurrentLinkedQueue<>(cases(servers && !dialect.equals("same")));
      assertThat(cases).hasSizeGreaterThan(400);
      if (loops > 1) {
        int[] number = new int[1];
        cases.removeIf(each -> number[0]++ % SOME != 0);
      }
      List<CompletableFuture<Void>> running = new ArrayList<>();
      for (Lane lane : lanes) {
        running.add(
            CompletableFuture.runAsync(() -> run(lane, cases, cutter, differences), threads));
      }
      running.forEach(CompletableFuture::join);
      long cuts = lanes.stream().mapToLong(Lane::cuts).sum();
      LOG.info("{} cuts, seed {}", cuts, seed);
      for (Lane lane : lanes) {
        lane.close();
      }
      assertThat(cuts).isGreaterThan(10_000 / every / (loops > 1 ? SOME : 1));
    } finally {
      threads.shutdown();
      for (int i = started.size() - 1; i >= 0; i--) {
        started.get(i).close();
      }
    }
    assertThat(differences).as("seed %d", seed).isEmpty();
  }

  private static void run(
      Lane lane, Queue<CutCase> cases, Cutter cutter, Queue<String> differences) {
    CutCase each;
    while ((each = cases.poll()) != null) {
      try {
        differences.addAll(cutter.cut(lane, each));
      } catch (IOException e) {
        throw new AssertionError(each + ": " + e.getMessage(), e);
      }
    }
  }

  private static InetSocketAddress address(Gateway gateway, String listener) {
    String address = gateway.address(listener);
    int colon = address.lastIndexOf(':');
    return new InetSocketAddress(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  // A fence on any connection of an event loop says what it has read.
  private static String yaml(List<CuttingProxy> proxies, String dialect, int loops) {
    StringBuilder listeners = new StringBuilder();
    StringBuilder routes = new StringBuilder();
    StringBuilder pools = new StringBuilder();
    for (int i = 0; i <= LANES; i++) {
      String name = i == LANES ? "control" : "lane" + i;
      listeners.append(
          "  %s: {bind: '127.0.0.1:0', protocol: memcached, route: %s}\n".formatted(name, name));
      routes.append("  %s:\n    - pool: %s\n".formatted(name, name));
      pools.append(
          i < proxies.size()
              ? "  %s: {protocol: memcached, servers: ['127.0.0.1:%d'], timeout: 10s, dialect: %s, connections: {max: %d}}\n"
                  .formatted(name, proxies.get(i).address().getPort(), dialect, loops > 1 ? 1 : 0)
              : "  %s: {protocol: embedded, size: 16MiB}\n".formatted(name));
    }
    return "admin: {bind: '127.0.0.1:0'}\nprocess: {eventLoops: "
        + loops
        + "}\nlisteners:\n"
        + listeners
        + "routes:\n"
        + routes
        + "pools:\n"
        + pools;
  }
}
