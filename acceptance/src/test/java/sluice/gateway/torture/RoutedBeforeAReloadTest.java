package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.gateway.fixtures.SideBySide;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/**
 * Requests that a reload finds on their way, and that need a server which has left by the time they
 * come to it: it is asked all the same, within its timeout, and has no connection left then.
 */
class RoutedBeforeAReloadTest {
  private static final int CHUNK = 64 << 10;
  private static final int SERVERS = 8;

  private static String yaml(int loops, String rules, String... pools) {
    return Scenario.yaml(rules, pools).replace("eventLoops: 1", "eventLoops: " + loops);
  }

  private static String pool(String name, int max, String timeout, ScriptedServer... servers) {
    return "%s: {servers: [%s], timeout: %s, connections: {probeAfter: 100ms%s}}"
        .formatted(
            name,
            List.of(servers).stream()
                .map(server -> '"' + Scenario.name(server.address()) + '"')
                .collect(Collectors.joining(", ")),
            timeout,
            max == 0 ? "" : ", max: " + max);
  }

  /** The rule and its pools are gone, and with them the connections to server. */
  private static void reload(RunningGateway gateway, int loops, ScriptedServer server)
      throws Exception {
    String none = "none: {protocol: embedded, size: 16MiB}";
    LoadResult next = Loader.parse("next.yaml", yaml(loops, "{reject: elsewhere}", none));
    assertThat(next.problems()).isEmpty();
    gateway.gateway().follow(next.configuration()).await(20, TimeUnit.SECONDS);
    String name = Scenario.name(server.address());
    Scenario.becomes(() -> !gateway.gateway().scrape().contains(name)); // all loops forgot it
    shouldBeLeftAlone(server, 1);
  }

  /** Every connection is closed, of which there were so many. */
  private static void shouldBeLeftAlone(ScriptedServer server, int atLeast) {
    Scenario.becomes(
        () -> server.connections() >= atLeast && server.closedByPeer() == server.connections());
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
  }

  private static void shouldHoldNothing(RunningGateway gateway) {
    assertThat(Patience.soon(() -> gateway.inFlight() == 0)).isTrue();
    assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
  }

  /** A test for these event loops and connections to a server, which answers or does not. */
  private interface Case {
    void run(int loops, int max, boolean answers) throws Exception;
  }

  private static List<DynamicTest> inAllWays(Case each) {
    SideBySide all = new SideBySide();
    for (boolean answers : new boolean[] {true, false}) {
      all.add("1 loop, answers " + answers, () -> each.run(1, 0, answers));
      all.add("4 loops, max 1, answers " + answers, () -> each.run(4, 1, answers));
    }
    all.add("4 loops, max 3, answers true", () -> each.run(4, 3, true));
    return all.tests(5, Duration.ofMinutes(3));
  }

  @TestFactory
  List<DynamicTest> shouldFillAColdPoolAndLeaveIt() {
    return inAllWays(RoutedBeforeAReloadTest::shouldFillAColdPoolAndLeaveIt);
  }

  private static void shouldFillAColdPoolAndLeaveIt(int loops, int max, boolean answers)
      throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch reloaded = new CountDownLatch(1);
    CountDownLatch filled = new CountDownLatch(1);
    try (ScriptedServer cold =
            new ScriptedServer(
                request -> {
                  if (request.line().startsWith("ms ")) {
                    if (answers) {
                      request.reply(
                          "HD" + request.line().replaceFirst(".*( O\\S+).*", "$1") + "\r\n");
                    }
                    filled.countDown();
                  } else if (request.line().startsWith("get ") && filled.getCount() > 0) {
                    request.reply("END\r\n");
                  } else if (request.line().startsWith("get ") && answers) {
                    request.reply("VALUE k 0 3\r\nold\r\nEND\r\n");
                  }
                });
        ScriptedServer warm =
            new ScriptedServer(
                request -> {
                  asked.countDown();
                  await(reloaded);
                  String flags = request.line().substring("mg k".length()).replace(" v", "");
                  request.reply(
                      "VA 3" + flags.replace(" t", " t-1").replace(" f", " f0") + "\r\nold\r\n");
                });
        RunningGateway gateway =
            RunningGateway.of(
                yaml(
                    loops,
                    "{warmUp: {cold: cold, warm: warm}}",
                    pool("cold", max, answers ? "20s" : "2s", cold),
                    pool("warm", max, "30s", warm)));
        RawClient client = new RawClient(gateway.address())) {
      client.send("get k\r\n");
      await(asked);
      reload(gateway, loops, cold);
      reloaded.countDown();
      if (answers) {
        assertThat(client.line()).isEqualTo("VALUE k 0 3");
        assertThat(client.line()).isEqualTo("old");
      }
      assertThat(client.line()).isEqualTo("END");
      await(filled);
      shouldBeLeftAlone(cold, 2);
      shouldBeLeftAlone(warm, 1);
      assertThat(client.ask("get k\r\n")).isEqualTo("SERVER_ERROR elsewhere");
      shouldHoldNothing(gateway);
    }
  }

  /** Servers of split values: whoever has a chunk waits for somebody's word before it answers. */
  private static final class ChunkServers implements AutoCloseable {
    private final Semaphore words = new Semaphore(0);
    private final AtomicInteger answered = new AtomicInteger();
    private final List<ScriptedServer> servers = new ArrayList<>();
    private volatile boolean answersHeads = true;

    ChunkServers() throws IOException {
      for (int i = 0; i < SERVERS; i++) {
        servers.add(
            new ScriptedServer(
                request -> {
                  if (request.line().startsWith("get")) {
                    request.reply("END\r\n");
                  } else if (request.line().contains(":split:")) {
                    assertThat(words.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
                    request.reply("STORED\r\n");
                    answered.incrementAndGet();
                  } else if (answersHeads) {
                    request.reply("STORED\r\n");
                  }
                }));
      }
    }

    ScriptedServer[] all() {
      return servers.toArray(new ScriptedServer[0]);
    }

    /** Which server has a value's head. */
    ScriptedServer ofHead(RawClient client, String key) throws IOException {
      assertThat(client.ask("get " + key + "\r\n")).isEqualTo("END");
      return servers.stream().filter(server -> !server.lines().isEmpty()).findFirst().orElseThrow();
    }

    /** Sends a value of two chunks, which two servers have that are not head's; they wait. */
    void hold(RawClient client, String key, ScriptedServer head) throws Exception {
      for (int asked = 2; ; asked += 2) {
        long before = chunks(head);
        client.send("set " + key + " 0 0 " + 2 * CHUNK + "\r\n" + "x".repeat(2 * CHUNK) + "\r\n");
        int wanted = asked;
        boolean both =
            Patience.within(
                Duration.ofMillis(500),
                () -> servers.stream().mapToLong(ChunkServers::chunks).sum() == wanted);
        if (both && chunks(head) == before) {
          return; // a server that has both reads one of them only
        }
        words.release(2); // the keys of the next chunks are others
        assertThat(client.line()).isEqualTo("STORED");
        Scenario.becomes(() -> answered.get() == wanted);
      }
    }

    private static long chunks(ScriptedServer server) {
      return server.lines().stream().filter(line -> line.contains(":split:")).count();
    }

    void goOn(boolean headsAreStored) {
      answersHeads = headsAreStored;
      words.release(2);
    }

    @Override
    public void close() throws IOException {
      for (ScriptedServer server : servers) {
        server.close();
      }
    }
  }

  /** The head is written when its chunks are, which other servers have. */
  @TestFactory
  List<DynamicTest> shouldWriteTheHeadOfASplitValueInTime() {
    return inAllWays(RoutedBeforeAReloadTest::shouldWriteTheHeadOfASplitValueInTime);
  }

  private static void shouldWriteTheHeadOfASplitValueInTime(int loops, int max, boolean stored)
      throws Exception {
    try (ChunkServers servers = new ChunkServers();
        RunningGateway gateway =
            RunningGateway.of(
                yaml(
                    loops,
                    "{pool: all, split: 64KiB}",
                    pool("all", max, stored ? "20s" : "6s", servers.all())));
        RawClient client = new RawClient(gateway.address())) {
      ScriptedServer head = servers.ofHead(client, "k");
      servers.hold(client, "k", head);
      reload(gateway, loops, head);
      int before = head.connections();
      servers.goOn(stored);
      if (stored) {
        assertThat(client.line()).isEqualTo("STORED");
      } else {
        assertThat(client.line()).matches("SERVER_ERROR .* (timed out|did not answer)");
      }
      shouldBeLeftAlone(head, before + 1);
      assertThat(client.ask("get k\r\n")).isEqualTo("SERVER_ERROR elsewhere");
      shouldHoldNothing(gateway);
    }
  }
}
