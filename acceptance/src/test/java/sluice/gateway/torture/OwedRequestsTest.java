package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** Requests whose clients are answered, and that another pool of the rule has yet to do. */
class OwedRequestsTest {
  private static final int WINDOW = 100;
  private static final int MEMORY_MIB = 8;

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private <T extends AutoCloseable> T closing(T resource) {
    open.add(resource);
    return resource;
  }

  /** Answers nothing until it is told to, then all that it was asked, and whatever comes. */
  private static final class Late implements ScriptedServer.Script {
    private final List<ScriptedServer.Request> held = new ArrayList<>();
    private boolean answers;

    @Override
    public synchronized void handle(ScriptedServer.Request request) throws IOException {
      if (answers) {
        ScriptedServer.behave(request);
      } else {
        held.add(request);
      }
    }

    synchronized void answer() throws IOException {
      answers = true;
      for (ScriptedServer.Request request : held) {
        ScriptedServer.behave(request);
      }
    }
  }

  private RunningGateway start(String rules, ScriptedServer one, ScriptedServer other) {
    return closing(
        RunningGateway.of(
            """
            admin: {bind: 127.0.0.1:0}
            process: {eventLoops: 1}
            listeners: {cache: {bind: 127.0.0.1:0, route: cache, limits: {inFlight: %d}}}
            routes: {cache: [%s]}
            pools:
              a: {servers: [%s], timeout: 1m}
              b: {servers: [%s], timeout: 1m, connections: {perEventLoop: 2}}
            """
                .formatted(WINDOW, rules, written(one.address()), written(other.address()))));
  }

  private static String written(InetSocketAddress address) {
    return "\"127.0.0.1:" + address.getPort() + "\"";
  }

  private static void answered(RawClient client, String request, int from, int to)
      throws IOException {
    for (int i = from; i < to; i++) {
      if (request.startsWith("get")) {
        assertThat(client.line()).startsWith("VALUE k" + i + " ");
        assertThat(client.line()).isEqualTo("k" + i);
        assertThat(client.line()).isEqualTo("END");
      } else {
        assertThat(client.line()).isEqualTo("STORED");
      }
    }
  }

  /** A pool that does nothing would else be sent all that another answers in the meantime. */
  @ParameterizedTest
  @ValueSource(strings = {"set k%d 0 0 1\r\nx\r\n", "get k%d\r\n"})
  void shouldCountAgainstTheWindowWhatAReplicaHasYetToAnswer(String request) throws Exception {
    Late late = new Late();
    ScriptedServer fast = closing(new ScriptedServer(ScriptedServer::behave));
    ScriptedServer slow = closing(new ScriptedServer(late));
    RunningGateway gateway = start("{replicate: {pools: [a, b], acks: one}}", fast, slow);
    RawClient client = closing(new RawClient(gateway.address()));
    StringBuilder requests = new StringBuilder();
    for (int i = 0; i < 3 * WINDOW; i++) {
      requests.append(request.formatted(i));
    }
    client.send(requests.toString());
    answered(client, request, 0, WINDOW);
    // Behind whatever else was sent for the first client; twice, for there are two connections.
    for (int i = 0; i < 2; i++) {
      RawClient other = closing(new RawClient(gateway.address()));
      assertThat(other.ask("set fence" + i + " 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    }
    assertThat(
            Patience.soon(
                () -> slow.lines().stream().filter(line -> line.contains("fence")).count() == 2))
        .isTrue();
    assertThat(slow.lines()).hasSize(WINDOW + 2);
    late.answer();
    answered(client, request, WINDOW, 3 * WINDOW);
    assertThat(Patience.soon(() -> slow.lines().size() == 3 * WINDOW + 2)).isTrue();
    assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
  }

  /**
   * A large value has a connection of its own. There it would overtake an earlier change of the
   * same client, which the client has an answer to and this server has not carried out yet.
   */
  @Test
  void shouldNotSendALargeValueBeforeAReplicaHasDoneTheClientsEarlierChange() throws Exception {
    Late late = new Late();
    ScriptedServer fast = closing(new ScriptedServer(ScriptedServer::behave));
    ScriptedServer slow = closing(new ScriptedServer(late));
    RunningGateway gateway =
        start(
            "{match: {prefix: 'r:'}, replicate: {pools: [a, b], acks: one}}, {pool: b}",
            fast,
            slow);
    RawClient client = closing(new RawClient(gateway.address()));
    assertThat(client.ask("set r:k 0 0 2\r\nv1\r\n")).isEqualTo("STORED");
    assertThat(Patience.soon(() -> hasLine(slow, "set r:k"))).isTrue();
    client.send("set k 0 0 100000\r\n" + "x".repeat(100_000) + "\r\n");
    // Another client's large value is sent at once: so would this one have been.
    RawClient other = closing(new RawClient(gateway.address()));
    other.send("set o 0 0 100000\r\n" + "x".repeat(100_000) + "\r\n");
    assertThat(Patience.soon(() -> hasLine(slow, "set o"))).isTrue();
    assertThat(hasLine(slow, "set k")).isFalse();
    late.answer();
    assertThat(client.line()).isEqualTo("STORED");
    assertThat(other.line()).isEqualTo("STORED");
    assertThat(hasLine(slow, "set k")).isTrue();
  }

  private static boolean hasLine(ScriptedServer server, String start) {
    return server.lines().stream().anyMatch(line -> line.startsWith(start));
  }

  /** Values that a replica's socket does not take are buffered, and what follows them waits. */
  @Test
  void shouldKeepToTheMemoryWhileAReplicaDoesNotRead() throws Exception {
    CountDownLatch reads = new CountDownLatch(1);
    ScriptedServer stuck = closing(new ScriptedServer(request -> reads.await()));
    RealMemcached good = closing(RealMemcached.start());
    RunningGateway gateway =
        closing(
            RunningGateway.of(
                """
                admin: {bind: 127.0.0.1:0}
                process: {eventLoops: 1, memory: %dMiB}
                listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
                routes: {cache: [{replicate: {pools: [a, b], acks: one}}]}
                pools:
                  a: {servers: [%s], timeout: 10s}
                  b: {servers: [%s], timeout: 500ms}
                """
                    .formatted(MEMORY_MIB, written(good.address()), written(stuck.address()))));
    AtomicInteger stored = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      RawClient client = closing(new RawClient(gateway.address()));
      String request = "set k" + i + " 0 0 900000\r\n" + "v".repeat(900_000) + "\r\n";
      Thread thread =
          new Thread(
              () -> {
                try {
                  for (int j = 0; j < 3; j++) {
                    stored.addAndGet(client.ask(request).equals("STORED") ? 1 : 0);
                  }
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      thread.start();
      threads.add(thread);
    }
    long most = 0;
    while (threads.stream().anyMatch(Thread::isAlive)) {
      most = Math.max(most, gateway.bufferedBytes());
      TimeUnit.MICROSECONDS.sleep(100);
    }
    assertThat(stored.get()).isPositive();
    assertThat(most).isBetween(900_000L, (long) MEMORY_MIB << 20);
    reads.countDown();
    assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
  }

  /**
   * They wait behind the first one, which has no answer, and more requests are to be carried out.
   */
  @Test
  void shouldKeepToTheMemoryWithTheRepliesOfClientsThatAreGone() throws Exception {
    int memory = 32 << 20;
    String value = "x".repeat(1_000_000);
    ScriptedServer silent = closing(new ScriptedServer(request -> {}));
    ScriptedServer large = closing(new ScriptedServer(request -> request.replyValues(k -> value)));
    RunningGateway gateway =
        closing(
            RunningGateway.of(
                """
                admin: {bind: 127.0.0.1:0}
                process: {eventLoops: 1, memory: 32MiB}
                listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
                routes: {cache: [{match: {prefix: "s:"}, pool: a}, {pool: b}]}
                pools:
                  a: {servers: [%s], timeout: 3s}
                  b: {servers: [%s], timeout: 20s}
                """
                    .formatted(written(silent.address()), written(large.address()))));
    for (int i = 0; i < 4; i++) {
      RawClient client = closing(new RawClient(gateway.address()));
      client.send("get s:" + i + "\r\n" + "get large\r\n".repeat(300));
      int asked = i + 1;
      assertThat(Patience.soon(() -> silent.lines().size() == asked)).isTrue();
      client.reset();
    }
    long most = 0;
    for (int i = 0; i < 200; i++) {
      most = Math.max(most, gateway.bufferedBytes());
      Thread.sleep(10);
    }
    assertThat(most).isBetween(1_000_000L, (long) memory);
    assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
  }

  /** Its client neither waits for it nor for what it would have to remember. */
  @Test
  void shouldCopyNoMoreThanAShadowMayOwe() throws Exception {
    int most = 1024;
    Late late = new Late();
    ScriptedServer main = closing(new ScriptedServer(ScriptedServer::behave));
    ScriptedServer shadow = closing(new ScriptedServer(late));
    RunningGateway gateway = start("{pool: a, shadow: {pool: b}}", main, shadow);
    RawClient client = closing(new RawClient(gateway.address()));
    int requests = 0;
    while (shadow.lines().isEmpty()) { // its connection is made meanwhile
      assertThat(client.ask("set first 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      requests++;
      assertThat(requests).isLessThan(100_000);
    }
    for (int i = 0; i < 3 * most; i += WINDOW) {
      client.send("set k 0 0 1\r\nx\r\n".repeat(WINDOW));
      for (int j = 0; j < WINDOW; j++) {
        assertThat(client.line()).isEqualTo("STORED");
      }
      requests += WINDOW;
    }
    int all = requests;
    assertThat(Patience.soon(() -> shadow.lines().size() + counted(gateway, "skipped") == all))
        .isTrue();
    assertThat(shadow.lines()).hasSize(most);
    late.answer();
    assertThat(Patience.soon(() -> counted(gateway, "same") == most)).isTrue();
    assertThat(client.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    assertThat(Patience.soon(() -> counted(gateway, "same") == most + 1)).isTrue();
  }

  private static int counted(RunningGateway gateway, String result) {
    String series = "sluice_shadow_requests_total{pool=\"b\",result=\"" + result + "\"} ";
    return gateway
        .gateway()
        .scrape()
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToInt(line -> (int) Double.parseDouble(line.substring(series.length())))
        .sum();
  }

  /** A change is answered by one pool: another's near cache keeps nothing from before it. */
  @Test
  void shouldKeepNothingNearThatAPoolHasYetToChange() throws Exception {
    BlockingQueue<ScriptedServer.Request> asked = new LinkedBlockingQueue<>();
    ScriptedServer fast = closing(new ScriptedServer(ScriptedServer::behave));
    ScriptedServer slow = closing(new ScriptedServer(asked::add));
    RunningGateway gateway =
        start(
            "{match: {commands: [get]}, pool: b, nearCache: {size: 1MiB, ttl: 1h}},"
                + " {replicate: {pools: [a, b], acks: one}}",
            fast,
            slow);
    RawClient writer = closing(new RawClient(gateway.address()));
    RawClient reader = closing(new RawClient(gateway.address()));
    assertThat(writer.ask("set k 0 0 3\r\nnew\r\n")).isEqualTo("STORED");
    ScriptedServer.Request write = asked.poll(20, TimeUnit.SECONDS);
    reader.send("get k\r\n");
    ScriptedServer.Request read = asked.poll(20, TimeUnit.SECONDS);
    assertThat(read.connection()).isNotEqualTo(write.connection());
    found(read, "old");
    assertThat(reader.line()).isEqualTo("VALUE k 0 3");
    assertThat(reader.line() + reader.line()).isEqualTo("oldEND");
    write.reply("STORED\r\n");
    reader.send("get k\r\n");
    ScriptedServer.Request again = asked.poll(5, TimeUnit.SECONDS);
    assertThat(again).as("it is asked again").isNotNull();
    found(again, "new");
    assertThat(reader.line()).isEqualTo("VALUE k 0 3");
    assertThat(reader.line() + reader.line()).isEqualTo("newEND");
  }

  private static void found(ScriptedServer.Request read, String value) throws IOException {
    String cas = read.line().startsWith("gets ") ? " 1" : "";
    read.reply("VALUE k 0 " + value.length() + cas + "\r\n" + value + "\r\nEND\r\n");
  }
}
