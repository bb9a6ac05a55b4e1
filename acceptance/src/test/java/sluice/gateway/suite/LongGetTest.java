package sluice.gateway.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.ChildJvm;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Acceptor;
import sluice.testkit.Patience;

/**
 * A get of more keys than are asked for at once is answered as any other, and takes no more memory.
 */
class LongGetTest {
  private static final int STORED = 3_000;
  private static final int MANY = 6_000;
  private static final String FENCE = "mn\r\n";

  private static final List<RealMemcached> SERVERS = new ArrayList<>();

  @BeforeAll
  static void start() {
    for (int i = 0; i < 2; i++) {
      SERVERS.add(RealMemcached.start());
    }
  }

  @AfterAll
  static void stop() {
    SERVERS.forEach(RealMemcached::close);
  }

  private static String addresses() {
    return SERVERS.stream()
        .map(each -> "\"127.0.0.1:" + each.address().getPort() + '"')
        .collect(Collectors.joining(", "));
  }

  private static InProcessGateway gateway(String rule, String pool) {
    InProcessGateway gateway = new InProcessGateway();
    gateway.start(
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1}
        listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
        routes:
          cache:
            - {match: {prefix: "no:"}, reject: "not from here"}
            - {match: {prefix: "s:"}, pool: store}
            - {match: {prefix: "r:"}, pool: cache, key: {strip: "r:", add: "v2:"}}
            - {pool: cache%s}
        pools:
          store: {protocol: embedded, size: 32MiB}
          cache: {servers: [%s], timeout: 10s, connections: {probeAfter: 60s}%s}
        """
            .formatted(rule, addresses(), pool));
    return gateway;
  }

  private static String key(int i) {
    String prefix = i % 7 == 0 ? "s:" : i % 11 == 0 ? "r:" : "";
    return prefix + "k%x".formatted(i * 0x9E3779B9);
  }

  private static String valueOf(int i) {
    return "value " + i + "\r\nEND\r\n" + "x".repeat(i % 200);
  }

  private static void store(Conversation client) throws Exception {
    StringBuilder sets = new StringBuilder();
    for (int i = 0; i < STORED; i += 2) {
      String value = valueOf(i);
      sets.append("set " + key(i) + " 5 0 " + value.length() + "\r\n" + value + "\r\n");
    }
    assertThat(client.ask(sets + FENCE, "MN\r\n"))
        .isEqualTo("STORED\r\n".repeat(STORED / 2) + "MN\r\n");
  }

  private static String found(int i) {
    String value = valueOf(i);
    return i < STORED && i % 2 == 0
        ? "VALUE " + key(i) + " 5 " + value.length() + "\r\n" + value + "\r\n"
        : "";
  }

  /** Shuffled, with misses, and some more than once. */
  private static List<Integer> asked(int count) {
    Random random = new Random(count);
    return IntStream.range(0, count).mapToObj(i -> random.nextInt(STORED * 2)).toList();
  }

  private static String keys(List<Integer> asked) {
    return asked.stream().map(LongGetTest::key).collect(Collectors.joining(" "));
  }

  private static String values(List<Integer> asked) {
    return asked.stream().map(LongGetTest::found).collect(Collectors.joining());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "|",
        "|, compression: {above: 64B}",
        "|, dialect: meta",
        "|, dialect: binary",
        ", nearCache: {size: 16MiB, ttl: 60s}|",
        ", split: 64KiB|"
      })
  void shouldAnswerInTheOrderAskedWithItsNeighboursReplies(String settings) throws Exception {
    String[] rule = settings.split("\\|", -1);
    try (InProcessGateway gateway = gateway(rule[0], rule[1]);
        Conversation client = new Conversation(gateway.address("cache"))) {
      store(client);
      List<Integer> first = asked(MANY);
      List<Integer> second = asked(MANY - 1);
      String before = "set " + key(0) + " 5 0 7\r\nchanged\r\n";
      String between =
          "set " + key(0) + " 5 0 " + valueOf(0).length() + "\r\n" + valueOf(0) + "\r\n";
      for (int round = 0; round < 2; round++) { // a near cache knows them the second time
        String reply =
            client.ask(
                before
                    + ("get " + keys(first.subList(0, 50)) + "\r\n")
                    + between
                    + ("get  " + keys(first) + "\r\n")
                    + ("get " + key(0) + "\r\n")
                    + ("gets nothing " + keys(second.subList(0, 20)) + "\r\n")
                    + ("get " + keys(second) + "  \r\n")
                    + FENCE,
                "MN\r\n");
        int at = reply.indexOf("VALUE", reply.indexOf("STORED", 8));
        assertThat(reply.substring(at))
            .startsWith(values(first) + "END\r\n" + found(0) + "END\r\n")
            .endsWith("END\r\n" + values(second) + "END\r\nMN\r\n");
      }
    }
  }

  @Test
  void shouldRefuseAsAWhole() throws Exception {
    try (InProcessGateway gateway = gateway("", ", compression: {above: 64B}");
        Conversation client = new Conversation(gateway.address("cache"))) {
      store(client);
      String many = keys(asked(MANY));
      assertThat(client.ask("get " + many + " no:where\r\n" + FENCE, "MN\r\n"))
          .isEqualTo("SERVER_ERROR not from here\r\nMN\r\n");
      assertThat(client.ask("get " + many + " " + "k".repeat(251) + "\r\n" + FENCE, "MN\r\n"))
          .startsWith("CLIENT_ERROR bad command line format\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"error", "miss"})
  void shouldSayOnceThatAServerIsGone(String onFailure) throws Exception {
    RealMemcached dying = RealMemcached.start();
    try (InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(
          """
          admin: {bind: 127.0.0.1:0}
          process: {eventLoops: 1}
          listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
          routes: {cache: [{match: {prefix: "k"}, pool: good}, {pool: bad}]}
          pools:
            good: {servers: [%s], dialect: binary, timeout: 10s}
            bad:
              servers: ["127.0.0.1:%d"]
              dialect: binary
              multiGet: {onFailure: %s}
              timeout: 10s
              connections: {probeAfter: 60s}
          """
              .formatted(addresses(), dying.address().getPort(), onFailure));
      try (Conversation client = new Conversation(gateway.address("cache"))) {
        store(client);
        dying.close();
        List<Integer> asked = asked(MANY);
        String reply =
            client.ask(
                "get " + keys(asked).replace("r:", "k").replace("s:", "k") + "\r\n" + FENCE,
                "MN\r\n");
        assertThat(reply).endsWith("END\r\nMN\r\n");
        reply = client.ask("get " + keys(asked) + " nowhere\r\n" + FENCE, "MN\r\n");
        if (onFailure.equals("miss")) {
          assertThat(reply).endsWith("END\r\nMN\r\n");
        } else {
          assertThat(reply).containsOnlyOnce("SERVER_ERROR ").doesNotEndWith("END\r\nMN\r\n");
        }
      }
    } finally {
      dying.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ", compression: {above: 64B}"})
  void shouldAnswerLongLinesThatTouchAndSendServersShortOnes(String pool) throws Exception {
    try (InProcessGateway gateway = gateway("", pool);
        Conversation client = new Conversation(gateway.address("cache"))) {
      store(client);
      List<Integer> asked = asked(1_000); // all in one reading of the socket, as memcached needs
      String key = key(2);
      for (int round = 0; round < 3; round++) {
        assertThat(client.ask("gat 0 " + keys(asked) + "\r\n" + FENCE, "MN\r\n"))
            .isEqualTo(values(asked) + "END\r\nMN\r\n");
        assertThat(client.ask("gat 0" + " ".repeat(3_000) + key + "\r\n" + FENCE, "MN\r\n"))
            .isEqualTo(found(2) + "END\r\nMN\r\n");
        assertThat(client.ask("gat 0 " + key + " ".repeat(3_000) + key + "\r\n" + FENCE, "MN\r\n"))
            .isEqualTo(found(2) + found(2) + "END\r\nMN\r\n");
      }
    }
  }

  /** A way to a server whose connections can be cut. */
  private static final class Way implements AutoCloseable {
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final Acceptor acceptor;

    Way(InetSocketAddress server) throws IOException {
      acceptor = Acceptor.onLoopback(0, "way", (number, near) -> carry(near, server));
    }

    private void carry(Socket near, InetSocketAddress server) {
      try (near;
          Socket far = new Socket(server.getAddress(), server.getPort())) {
        sockets.add(near);
        Acceptor.start("requests", () -> transfer(near, far));
        transfer(far, near);
      } catch (IOException e) {
        // closed
      }
    }

    private static void transfer(Socket from, Socket to) {
      try (from;
          to) {
        from.getInputStream().transferTo(to.getOutputStream());
      } catch (IOException e) {
        // closed
      }
    }

    void cut() throws IOException {
      for (Socket socket : sockets) {
        socket.close();
      }
    }

    @Override
    public void close() throws IOException {
      acceptor.close();
    }
  }

  /** Its servers' connections are others than those of its client's last request. */
  @ParameterizedTest
  @CsvSource({"gat 0, 1000", "get, 6000"}) // a gat, as memcached, all in one reading of the socket
  void shouldNotWaitForItsOwnAnswerWhereSeveralPoolsHoldTheSame(String command, int count)
      throws Exception {
    try (Way a = new Way(SERVERS.get(0).address());
        Way b = new Way(SERVERS.get(1).address());
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(
          """
          admin: {bind: 127.0.0.1:0}
          process: {eventLoops: 1}
          listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
          routes: {cache: [{replicate: {pools: [a, b]}}]}
          pools:
            a: {servers: ["localhost:%d"], timeout: 10s, connections: {perEventLoop: 1}}
            b: {servers: ["localhost:%d"], timeout: 10s, connections: {perEventLoop: 1}}
          """
              .formatted(a.acceptor.address().getPort(), b.acceptor.address().getPort()));
      try (Conversation client = new Conversation(gateway.address("cache"));
          Conversation other = new Conversation(gateway.address("cache"))) {
        store(client);
        a.cut();
        b.cut();
        String touch = "touch " + key(0) + " 0\r\n"; // of both
        assertThat(
                Patience.soon(() -> other.ask(touch + FENCE, "MN\r\n").equals("TOUCHED\r\nMN\r\n")))
            .isTrue();
        List<Integer> asked = asked(count);
        String request = command + " " + keys(asked) + "\r\n";
        assertThat(client.ask(request + "get " + key(0) + "\r\n" + FENCE, "MN\r\n"))
            .isEqualTo(values(asked) + "END\r\n" + found(0) + "END\r\nMN\r\n");
      }
    }
  }

  @Test
  void shouldFitIntoTheHeapOfASidecar(@TempDir Path directory) throws Exception {
    InetSocketAddress server = SERVERS.get(0).address();
    List<String> lines =
        ChildJvm.run(
            directory,
            List.of("-XX:+UseSerialGC", "-Xms16m", "-Xmx48m", "-XX:MaxDirectMemorySize=192m"),
            LongGetMain.class,
            String.valueOf(server.getPort()));
    assertThat(lines).contains("all answered");
  }
}
