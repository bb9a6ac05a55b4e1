package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.Loader;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;
import sluice.testkit.selfcheck.SelfCheck;
import sluice.testkit.selfcheck.Tally;

/** Event loops that share connections to their servers: {@code connections.max}. */
class SharedBetweenLoopsTest {
  private static final int LOOPS = 4;

  /** Connections that a server has, without the one that asks. */
  private static long connections(InetSocketAddress server) {
    try (RawClient client = new RawClient(server)) {
      for (String line = client.ask("stats\r\n"); !line.equals("END"); line = client.line()) {
        if (line.startsWith("STAT curr_connections ")) {
          return Long.parseLong(line.substring("STAT curr_connections ".length())) - 1;
        }
      }
      throw new AssertionError("no curr_connections");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Looks at a server's connections again and again. */
  private static final class Watch implements AutoCloseable {
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong most = new AtomicLong();
    private final Thread thread;

    /** Those that the server counts among its connections from the beginning are not counted. */
    Watch(RealMemcached server, long before) {
      thread =
          new Thread(
              () -> {
                while (!over.get()) {
                  most.accumulateAndGet(connections(server.address()) - before, Math::max);
                  try {
                    TimeUnit.MILLISECONDS.sleep(5);
                  } catch (InterruptedException e) {
                    return;
                  }
                }
              });
      thread.start();
    }

    long most() throws InterruptedException {
      over.set(true);
      thread.join();
      return most.get();
    }

    @Override
    public void close() {
      over.set(true);
    }
  }

  private static void shouldBeEmpty(RunningGateway gateway) {
    assertThat(Patience.soon(() -> gateway.inFlight() == 0))
        .as("in flight: %d", gateway.inFlight())
        .isTrue();
    assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0))
        .as("buffered: %d", gateway.bufferedBytes())
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 6})
  void shouldShowAServerNoMoreConnectionsThanMax(int max) throws Exception {
    try (RealMemcached server = RealMemcached.start()) {
      long before = connections(server.address());
      try (RunningGateway gateway =
              RunningGateway.before(server.address()).shared(LOOPS, max).timeout("10s").start();
          Watch watch = new Watch(server, before)) {
        Tally tally =
            SelfCheck.against(gateway.address())
                .connections(8, 8, 8)
                .largestValue(40_000)
                .cas()
                .counters()
                .replyLimit(Duration.ofSeconds(15))
                .requests(12_000)
                .run();

        assertThat(tally.wrong()).as(tally.toString()).isZero();
        assertThat(tally.errors() + tally.hangs() + tally.reconnects())
            .as(tally.toString())
            .isZero();
        shouldBeEmpty(gateway);
        long seen = watch.most();
        assertThat(seen)
            .isBetween(2L, 2L * max); // of text, and of binary, of which not all are used
        assertThat(gateway.admin("/pools")).contains("\"connections\" : " + seen + ",");
      }
    }
  }

  /** Of the loops with and without connections of their own, each has clients. */
  @Test
  void shouldLendNoMoreConnectionsThanStreams() throws Exception {
    int clients = 12;
    int length = 700_000;
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try (RealMemcached server = RealMemcached.start()) {
      long before = connections(server.address());
      try (RunningGateway gateway =
              RunningGateway.before(server.address())
                  .shared(LOOPS, 2)
                  .connections("streams: 3")
                  .timeout("20s")
                  .start();
          Watch watch = new Watch(server, before)) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
          int number = i;
          all.add(CompletableFuture.runAsync(() -> largeValues(gateway, number, length), threads));
        }
        all.forEach(CompletableFuture::join);

        // Two that are shared, three for values on their way, three for values that have arrived.
        assertThat(watch.most()).isBetween(3L, 8L);
        shouldBeEmpty(gateway);
      }
    } finally {
      threads.shutdown();
    }
  }

  private static void largeValues(RunningGateway gateway, int number, int length) {
    String value = Character.toString('a' + number).repeat(length);
    try (RawClient client = new RawClient(gateway.address())) {
      for (int i = 0; i < 5; i++) {
        assertThat(client.ask("set large" + number + " 0 0 " + length + "\r\n" + value + "\r\n"))
            .isEqualTo("STORED");
        assertThat(client.ask("get large" + number + "\r\n"))
            .isEqualTo("VALUE large" + number + " 0 " + length);
        assertThat(new String(client.read(length), US_ASCII)).isEqualTo(value);
        assertThat(client.line()).isEmpty();
        assertThat(client.line()).isEqualTo("END");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A client that dies inside a value costs its exclusive connection, and nobody else anything. */
  @Test
  void shouldDisturbNobodyWhenAClientDiesInsideAValue() throws Exception {
    try (RealMemcached server = RealMemcached.start()) {
      long before = connections(server.address());
      try (RunningGateway gateway =
              RunningGateway.before(server.address()).shared(LOOPS, 1).timeout("10s").start();
          RawClient other = new RawClient(gateway.address())) {
        for (int i = 0; i < 3 * LOOPS; i++) {
          try (RawClient dying = new RawClient(gateway.address())) {
            dying.send("set dying 0 0 300000\r\n" + "x".repeat(150_000));
            assertThat(other.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
            if (i % 2 == 0) {
              dying.reset();
            }
          }
          assertThat(other.ask("get dying\r\n")).isEqualTo("END");
        }
        shouldBeEmpty(gateway);
        assertThat(Patience.soon(() -> connections(server.address()) - before <= 1 + 4)).isTrue();
      }
    }
  }

  @Test
  void shouldTellClientsOfAllLoopsThatAServerIsGoneAndThatItIsBack() throws Exception {
    List<RawClient> clients = new ArrayList<>();
    ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
    int port = server.address().getPort();
    try (RunningGateway gateway =
        RunningGateway.before(server.address()).shared(LOOPS, 1).timeout("10s").start()) {
      for (int i = 0; i < 2 * LOOPS; i++) {
        clients.add(new RawClient(gateway.address()));
      }
      for (RawClient client : clients) {
        shouldFind(client);
      }
      assertThat(Patience.soon(() -> isGone(server))).isTrue();
      for (RawClient client : clients) {
        assertThat(client.ask("get k\r\n")).startsWith("SERVER_ERROR");
      }
      try (ScriptedServer again = new ScriptedServer(port, ScriptedServer::behave)) {
        for (RawClient client : clients) {
          assertThat(
                  Patience.soon(
                      () -> {
                        try {
                          if (client.ask("get k\r\n").startsWith("SERVER_ERROR")) {
                            return false;
                          }
                          client.line();
                          return client.line().equals("END");
                        } catch (IOException e) {
                          throw new UncheckedIOException(e);
                        }
                      }))
              .isTrue();
        }
        shouldBeEmpty(gateway);
        assertThat(again.requests().stream().map(ScriptedServer.Request::connection).distinct())
            .hasSize(1);
      }
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
      server.close();
    }
  }

  /** A port that is closed may still take a connection that came at the same time. */
  private static boolean isGone(ScriptedServer server) {
    try {
      server.close();
      new RawClient(server.address()).close();
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private static void shouldFind(RawClient client) throws IOException {
    assertThat(client.ask("get k\r\n")).isEqualTo("VALUE k 0 1");
    assertThat(client.line()).isEqualTo("k");
    assertThat(client.line()).isEqualTo("END");
  }

  /** What is in flight to a server that stalls fails in time, on each loop, and only that. */
  @Test
  void shouldFailWhatAServerDoesNotAnswerInTime() throws Exception {
    AtomicBoolean stalls = new AtomicBoolean();
    List<RawClient> clients = new ArrayList<>();
    try (ScriptedServer server =
            new ScriptedServer(
                request -> {
                  if (!stalls.get()) {
                    ScriptedServer.behave(request);
                  }
                });
        RunningGateway gateway =
            RunningGateway.before(server.address()).shared(LOOPS, 1).timeout("5s").start()) {
      for (int i = 0; i < 2 * LOOPS; i++) {
        clients.add(new RawClient(gateway.address()));
        shouldFind(clients.get(i));
      }
      stalls.set(true);
      for (RawClient client : clients) {
        client.send("get k\r\n");
      }
      for (RawClient client : clients) {
        assertThat(client.line()).startsWith("SERVER_ERROR").contains("timed out");
      }
      stalls.set(false);
      for (RawClient client : clients) {
        assertThat(
                Patience.soon(
                    () -> {
                      try {
                        return !client.ask("mn\r\n").isEmpty();
                      } catch (IOException e) {
                        throw new UncheckedIOException(e);
                      }
                    }))
            .isTrue();
        shouldFind(client);
      }
      shouldBeEmpty(gateway);
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  /** One that does not read holds up a connection of all loops, and not for long. */
  @Test
  void shouldGoOnWithoutAClientThatDoesNotRead() throws Exception {
    String value = "v".repeat(900_000);
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .shared(LOOPS, 1)
                .limits("outBuffer: 1MiB, stall: 500ms")
                .timeout("10s")
                .start()) {
      List<RawClient> others = new ArrayList<>();
      List<RawClient> silent = new ArrayList<>();
      try {
        for (int i = 0; i < LOOPS; i++) {
          others.add(new RawClient(gateway.address()));
          silent.add(new RawClient(gateway.address(), 8 * 1024));
        }
        assertThat(others.get(0).ask("set large 0 0 900000\r\n" + value + "\r\n"))
            .isEqualTo("STORED");
        assertThat(others.get(0).ask("set k 0 0 1\r\nk\r\n")).isEqualTo("STORED");
        for (RawClient each : silent) {
          each.send("get large\r\n".repeat(20));
        }
        for (int i = 0; i < 40; i++) {
          for (RawClient each : others) {
            shouldFind(each);
          }
          TimeUnit.MILLISECONDS.sleep(10);
        }
        shouldBeEmpty(gateway);
      } finally {
        for (RawClient each : silent) {
          each.close();
        }
        for (RawClient each : others) {
          each.close();
        }
      }
    }
  }

  /** In flight is what goes through pipes that an older configuration made. */
  @Test
  void shouldFailNoRequestWhenTheConfigurationChanges() throws Exception {
    try (RealMemcached one = RealMemcached.start();
        RealMemcached other = RealMemcached.start()) {
      long before = connections(one.address());
      try (RunningGateway gateway = RunningGateway.of(yaml("max: 1", one, other))) {
        List<String> said =
            List.of("max: 2", "max: 1, idle: 1m", "perEventLoop: 1", "max: 3", "max: 1");
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Integer> reloads =
            CompletableFuture.supplyAsync(
                () -> {
                  int count = 0;
                  while (!over.get() || count % said.size() != 0) {
                    String yaml = yaml(said.get(count++ % said.size()), one, other);
                    try {
                      gateway
                          .gateway()
                          .follow(Loader.parse("next.yaml", yaml).configuration())
                          .await(20, TimeUnit.SECONDS);
                      TimeUnit.MILLISECONDS.sleep(15);
                    } catch (Exception e) {
                      throw new IllegalStateException(e);
                    }
                  }
                  return count;
                });
        Tally tally =
            SelfCheck.against(gateway.address())
                .connections(4, 4, 4)
                .largestValue(100_000) // some on exclusive connection
                .replyLimit(Duration.ofSeconds(15))
                .requests(15_000)
                .run();
        over.set(true);

        assertThat(reloads.get(30, TimeUnit.SECONDS)).isGreaterThan(4);
        assertThat(tally.wrong()).as(tally.toString()).isZero();
        assertThat(tally.errors() + tally.hangs() + tally.reconnects())
            .as(tally.toString())
            .isZero();
        shouldBeEmpty(gateway);
        assertThat(Patience.soon(() -> connections(one.address()) - before <= 2 + 4 * 2)).isTrue();
      }
      assertThat(Patience.soon(() -> connections(one.address()) == before)).isTrue();
    }
  }

  private static String yaml(String connections, RealMemcached one, RealMemcached other) {
    return """
    admin: {bind: 127.0.0.1:0}
    process: {eventLoops: %d, drain: 2s}
    listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
    routes: {cache: [{pool: cache}]}
    pools:
      cache:
        servers: ["127.0.0.1:%d", "127.0.0.1:%d"]
        timeout: 10s
        connections: {%s}
    """
        .formatted(LOOPS, one.address().getPort(), other.address().getPort(), connections);
  }
}
