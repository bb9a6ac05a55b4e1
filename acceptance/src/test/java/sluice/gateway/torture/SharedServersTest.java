package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.Loader;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.tls.Certificates;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;
import sluice.testkit.selfcheck.SelfCheck;
import sluice.testkit.selfcheck.Tally;

/**
 * What a pool may say of its servers, where event loops share the connections to them: TLS, logins,
 * ejection, requests asked again; and how pools and processes end.
 */
class SharedServersTest {
  private static final int LOOPS = 3;

  @TempDir private Path directory;

  private static String yaml(String process, String server, String pool) {
    return """
    admin: {bind: 127.0.0.1:0}
    process: {eventLoops: %d, drain: 20s%s}
    listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
    routes: {cache: [{pool: cache}]}
    pools:
      cache:
        servers: [%s]
        timeout: 10s
        connections: {max: 1, streams: 2, probeAfter: 200ms}
    %s
    """
        .formatted(LOOPS, process, server, pool.indent(4).stripTrailing());
  }

  private static String written(InetSocketAddress address) {
    return "\"127.0.0.1:" + address.getPort() + "\"";
  }

  /** Open connections, that which asks among them, of a server that knows app. */
  private static int connections(RealMemcached server) {
    try (RawClient client = new RawClient(server.address())) {
      assertThat(client.ask("set login 0 0 9\r\napp first\r\n")).isEqualTo("STORED");
      int found = -1;
      for (String line = client.ask("stats\r\n"); !line.equals("END"); line = client.line()) {
        if (line.startsWith("STAT curr_connections ")) {
          found = Integer.parseInt(line.substring("STAT curr_connections ".length()));
        }
      }
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
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

  private static void shouldServe(RunningGateway gateway, int text, int meta, int binary)
      throws Exception {
    Tally tally =
        SelfCheck.against(gateway.address())
            .connections(text, meta, binary)
            .largestValue(400_000) // some on exclusive connection
            .replyLimit(Duration.ofSeconds(30))
            .requests(3_000)
            .run();
    assertThat(tally.wrong()).as(tally.toString()).isZero();
    assertThat(tally.errors() + tally.hangs() + tally.reconnects()).as(tally.toString()).isZero();
    shouldBeEmpty(gateway);
  }

  private static List<RawClient> clientsOfAllLoops(RunningGateway gateway) throws IOException {
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 2 * LOOPS; i++) {
      clients.add(new RawClient(gateway.address()));
    }
    return clients;
  }

  private static void close(List<RawClient> clients) throws IOException {
    for (RawClient client : clients) {
      client.close();
    }
  }

  // --- TLS and logins -------------------------------------------------------------------------

  @Test
  void shouldShareConnectionsOverTls() throws Exception {
    Certificates authority = Certificates.of(directory, "authority");
    authority.issue("gateway");
    String tls = "tls: {" + authority.identity("gateway") + ", clientCa: " + authority.file() + "}";
    try (RealMemcached server = RealMemcached.start();
        RunningGateway behind =
            RunningGateway.of(
                """
                admin: {bind: 127.0.0.1:0}
                process: {eventLoops: 1}
                listeners: {cache: {bind: 127.0.0.1:0, route: cache, %s}}
                routes: {cache: [{pool: cache}]}
                pools: {cache: {servers: [%s], timeout: 10s}}
                """
                    .formatted(tls, written(server.address())));
        RunningGateway gateway =
            RunningGateway.of(
                yaml(
                    "",
                    written(behind.address()),
                    "tls: {ca: %s, %s}"
                        .formatted(authority.file(), authority.identity("gateway"))))) {
      shouldServe(gateway, 6, 6, 6);
      // for text and for binary: the shared one, and as many again as streams for large values,
      // twice
      assertThat(Patience.soon(() -> openClients(behind) <= 2 * (1 + 2 + 2))).isTrue();
    }
  }

  private static double openClients(RunningGateway gateway) {
    return gateway
        .gateway()
        .scrape()
        .lines()
        .filter(line -> line.startsWith("sluice_connections{") && line.contains("\"cache\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Test
  void shouldLogInOnceForAllLoops() throws Exception {
    Path users = Files.writeString(directory.resolve("users.txt"), "app:first\n");
    Path password = Files.writeString(directory.resolve("password"), "first\n");
    try (RealMemcached server = RealMemcached.start("-Y", users.toString())) {
      int before = connections(server);
      try (RunningGateway gateway =
          RunningGateway.of(
              yaml(
                  "",
                  written(server.address()),
                  "auth: {user: app, passwordFile: " + password + "}"))) {
        shouldServe(gateway, 6, 6, 0);
        // One that is shared, two for values on their way, two for values that have arrived.
        assertThat(Patience.soon(() -> connections(server) <= before + 1 + 2 + 2)).isTrue();
      }
    }
  }

  @Test
  void shouldLogInBySaslOnceForAllLoops() throws Exception {
    Path password = Files.writeString(directory.resolve("password"), "secret\n");
    try (RealMemcached server = RealMemcached.startSasl(directory);
        RunningGateway gateway =
            RunningGateway.of(
                yaml(
                    "",
                    written(server.address()),
                    "auth: {user: alice, passwordFile: " + password + "}"))) {
      shouldServe(gateway, 0, 0, 8);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"get k\r\n", "set k 0 0 300000\r\n"})
  void shouldTellClientsOfAllLoopsThatALoginIsRefused(String request) throws Exception {
    Path users = Files.writeString(directory.resolve("users.txt"), "app:first\n");
    Path password = Files.writeString(directory.resolve("password"), "wrong\n");
    try (RealMemcached server = RealMemcached.start("-Y", users.toString());
        RunningGateway gateway =
            RunningGateway.of(
                yaml(
                    "",
                    written(server.address()),
                    "auth: {user: app, passwordFile: " + password + "}"))) {
      List<RawClient> clients = clientsOfAllLoops(gateway);
      for (RawClient client : clients) {
        client.send(request);
        if (request.startsWith("set ")) {
          client.send("x".repeat(300_000) + "\r\n");
        }
        assertThat(client.line()).startsWith("SERVER_ERROR ").contains("refuses the login");
      }
      close(clients);
      shouldBeEmpty(gateway);
    }
  }

  // --- servers that fail ----------------------------------------------------------------------

  /** Clients of all loops go elsewhere while it is out, and come back when it is. */
  @Test
  void shouldEjectAServerForAllLoopsAndTakeItBack() throws Exception {
    AtomicBoolean silent = new AtomicBoolean();
    try (ScriptedServer failing =
            new ScriptedServer(
                request -> {
                  if (!silent.get()) {
                    ScriptedServer.behave(request);
                  }
                });
        RealMemcached good = RealMemcached.start();
        RunningGateway gateway =
            RunningGateway.of(
                yaml(
                        "",
                        written(failing.address()) + ", " + written(good.address()),
                        "health: {failures: 2, probe: 50ms, ejectFor: 1s..2s, maxEjected: 50%}")
                    .replace("timeout: 10s", "timeout: 1s\n    queueTimeout: 10s"))) {
      List<RawClient> clients = clientsOfAllLoops(gateway);
      String key = keyOf(failing, clients.get(0));
      for (RawClient client : clients) {
        shouldFind(client, key);
      }
      silent.set(true);
      for (RawClient client : clients) {
        assertThat(Patience.soon(() -> answers(client, key).equals("END"))).isTrue();
      }
      silent.set(false);
      for (RawClient client : clients) {
        assertThat(
                Patience.soon(
                    () -> answers(client, key).equals("VALUE " + key + " 0 " + key.length())))
            .isTrue();
      }
      shouldBeEmpty(gateway);
      close(clients);
    }
  }

  private static String keyOf(ScriptedServer server, RawClient client) {
    for (int i = 1; i < 1000; i++) {
      String key = Integer.toString(i * 7919, 36) + "key"; // whose beginnings differ
      answers(client, key);
      if (server.lines().contains("get " + key)) {
        return key;
      }
    }
    throw new AssertionError("no key is that server's");
  }

  private static String answers(RawClient client, String key) {
    try {
      String first = client.ask("get " + key + "\r\n");
      if (first.startsWith("VALUE ")) {
        client.line();
        assertThat(client.line()).isEqualTo("END");
      }
      return first;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void shouldFind(RawClient client, String key) {
    assertThat(answers(client, key)).isEqualTo("VALUE " + key + " 0 " + key.length());
  }

  /** Each asks for a key of its own: k0, k1 and so on. */
  private static void askAll(List<RawClient> clients) throws IOException {
    for (int i = 0; i < clients.size(); i++) {
      clients.get(i).send("get k" + i + "\r\n");
    }
  }

  /** The reply comes next that a {@link ScriptedServer#behave behaving} server gives. */
  private static void shouldReadValueOf(RawClient client, String key) throws IOException {
    assertThat(client.line()).isEqualTo("VALUE " + key + " 0 " + key.length());
    assertThat(client.line()).isEqualTo(key);
    assertThat(client.line()).isEqualTo("END");
  }

  /** Whichever loop notices first that a reply is late. */
  @Test
  void shouldSendNothingBehindALateReply() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                request -> {
                  if (!request.key().startsWith("late")) {
                    ScriptedServer.behave(request);
                  }
                });
        RunningGateway gateway =
            RunningGateway.of(
                yaml("", written(server.address()), "")
                    .replace("timeout: 10s", "timeout: 1s\n    queueTimeout: 10s"))) {
      List<RawClient> clients = clientsOfAllLoops(gateway);
      for (int i = 0; i < clients.size(); i++) {
        RawClient client = clients.get(i);
        assertThat(client.ask("get late" + i + "\r\n")).contains("timed out");
        shouldFind(client, "next" + i);
        int late = connectionOf(server, "get late" + i);
        assertThat(connectionOf(server, "get next" + i)).isNotEqualTo(late);
      }
      shouldBeEmpty(gateway);
      close(clients);
    }
  }

  private static int connectionOf(ScriptedServer server, String line) {
    return server.requests().stream()
        .filter(request -> request.line().equals(line))
        .findFirst()
        .orElseThrow()
        .connection();
  }

  /** A connection is lost with reads of all loops in flight. */
  @Test
  void shouldAskReadsOfAllLoopsAgain() throws Exception {
    AtomicInteger kills = new AtomicInteger();
    AtomicInteger seen = new AtomicInteger();
    try (ScriptedServer server =
            new ScriptedServer(
                request -> {
                  if (kills.get() > 0) {
                    if (seen.addAndGet(request.keys().size()) == 2 * LOOPS) {
                      kills.decrementAndGet();
                      seen.set(0);
                      request.socket().close();
                    }
                  } else {
                    ScriptedServer.behave(request);
                  }
                });
        RunningGateway gateway =
            RunningGateway.of(
                yaml("", written(server.address()), "retries: {max: 1, budget: 50%}"))) {
      List<RawClient> clients = clientsOfAllLoops(gateway);
      for (RawClient client : clients) {
        shouldFind(client, "k");
      }
      for (int round = 0; round < 5; round++) {
        kills.set(1);
        askAll(clients);
        for (int i = 0; i < clients.size(); i++) {
          shouldReadValueOf(clients.get(i), "k" + i);
        }
        for (RawClient client : clients) {
          for (int i = 0; i < 20; i++) { // or too many of all requests would be asked again
            shouldFind(client, "k");
          }
        }
      }
      shouldBeEmpty(gateway);
      close(clients);
    }
  }

  // --- ends -----------------------------------------------------------------------------------

  /** A server that behaves until it is told to keep its answers to itself. */
  private static final class Holding implements ScriptedServer.Script {
    private final List<ScriptedServer.Request> held = new CopyOnWriteArrayList<>();
    private volatile boolean holds;

    @Override
    public void handle(ScriptedServer.Request request) throws IOException {
      if (holds) {
        held.add(request);
      } else {
        ScriptedServer.behave(request);
      }
    }

    /** The requests of {@link #askAll}, none of which is answered; clients are connected before. */
    List<ScriptedServer.Request> holdOneOfEach(List<RawClient> clients) throws IOException {
      for (RawClient client : clients) {
        shouldFind(client, "k");
      }
      holds = true;
      askAll(clients);
      assertThat(Patience.soon(() -> keys() == clients.size())).isTrue();
      return held;
    }

    /** Of all requests together: clients of the loop that has the connection may share a line. */
    private int keys() {
      return held.stream().mapToInt(request -> request.keys().size()).sum();
    }
  }

  /** What is in flight to a server that leaves its pool is answered by it, on all loops. */
  @Test
  void shouldAnswerWhatIsInFlightWhenAReloadTakesTheServerAway() throws Exception {
    Holding script = new Holding();
    try (ScriptedServer leaving = new ScriptedServer(script);
        RealMemcached staying = RealMemcached.start();
        RunningGateway gateway = RunningGateway.of(yaml("", written(leaving.address()), ""))) {
      List<RawClient> clients = clientsOfAllLoops(gateway);
      List<ScriptedServer.Request> held = script.holdOneOfEach(clients);
      gateway
          .gateway()
          .follow(
              Loader.parse("next.yaml", yaml("", written(staying.address()), "")).configuration())
          .await(20, TimeUnit.SECONDS);
      try (RawClient late = new RawClient(gateway.address())) {
        assertThat(late.ask("get k\r\n")).isEqualTo("END");
      }
      for (ScriptedServer.Request request : held) {
        ScriptedServer.behave(request);
      }
      for (int i = 0; i < clients.size(); i++) {
        shouldReadValueOf(clients.get(i), "k" + i);
        assertThat(clients.get(i).ask("get k\r\n")).isEqualTo("END");
      }
      shouldBeEmpty(gateway);
      assertThat(Patience.soon(() -> leaving.closedByPeer() >= 1)).isTrue();
      close(clients);
    }
  }

  /** Loops whose clients are gone still serve the others that are their sharers. */
  @Test
  void shouldAnswerWhatIsInFlightWhenItDrains() throws Exception {
    Holding script = new Holding();
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway =
            RunningGateway.of(
                yaml("", written(server.address()), "").replace("drain: 20s", "drain: 9s"))) {
      List<RawClient> clients = clientsOfAllLoops(gateway);
      List<ScriptedServer.Request> held = script.holdOneOfEach(clients);
      var stopped = gateway.gateway().drain();
      for (ScriptedServer.Request request : held) {
        ScriptedServer.behave(request);
        for (String key : request.keys()) {
          RawClient client = clients.get(Integer.parseInt(key.substring(1)));
          shouldReadValueOf(client, key);
          assertThat(client.readToEnd(Patience.LIMIT)).isEmpty(); // its loop may have no other
        }
      }
      stopped.await(30, TimeUnit.SECONDS);
      assertThat(gateway.bufferedBytes()).isZero();
      close(clients);
    }
  }
}
