package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** Where requests go whose server takes none, and how servers are taken out and come back. */
class FailoverTest {
  /** Servers that answer are never late, on a busy machine either. */
  private static final String PATIENT = "timeout: 10s";

  private static String text(InetSocketAddress address) {
    return "\"" + address.getAddress().getHostAddress() + ":" + address.getPort() + "\"";
  }

  private static RunningGateway start(String rule, String... pools) {
    return RunningGateway.of(
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1}
        listeners:
          cache: {bind: 127.0.0.1:0, route: cache}
        routes:
          cache:
            - %s
        pools:
          %s
        """
            .formatted(rule, String.join("\n  ", pools)));
  }

  private static String pool(String name, String more, InetSocketAddress... servers) {
    List<String> texts = new ArrayList<>();
    for (InetSocketAddress server : servers) {
      texts.add(text(server));
    }
    return name
        + ": {servers: ["
        + String.join(", ", texts)
        + "], "
        + PATIENT
        + ", connections: {probeAfter: 100ms, connectTimeout: 10s}"
        + (more.isEmpty() ? "" : ", " + more)
        + "}";
  }

  private static String state(RunningGateway gateway) {
    return gateway.admin("/pools").replaceAll("\\s", "");
  }

  // --- failover -----------------------------------------------------------------------------

  @Test
  void shouldUseTheNextPoolWhileAServerIsDown() throws Exception {
    try (ScriptedServer main = new ScriptedServer(ScriptedServer::behave);
        RealMemcached gutter = RealMemcached.start();
        RunningGateway gateway =
            start(
                "{pool: main, failover: {pools: [gutter], maxTtl: 1000s}}",
                pool("main", "", main.address()),
                pool("gutter", "", gutter.address()));
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("set k 0 0 1\r\na\r\n")).isEqualTo("STORED");
      assertThat(main.lines()).containsExactly("set k 0 0 1");
      main.die();
      assertThat(Patience.soon(() -> state(gateway).contains("\"state\":\"down\""))).isTrue();

      assertThat(client.ask("set k 0 0 1\r\nb\r\n")).isEqualTo("STORED");
      assertThat(client.ask("set short 0 100 1\r\nc\r\n")).isEqualTo("STORED");
      assertThat(client.ask("ms m 1 T0\r\nd\r\n")).isEqualTo("HD");
      try (RawClient direct = new RawClient(gutter.address())) {
        assertThat(Scenario.timeToLive(direct, "k")).isBetween(985L, 1000L);
        assertThat(Scenario.timeToLive(direct, "short")).isBetween(85L, 100L);
        assertThat(Scenario.timeToLive(direct, "m")).isBetween(985L, 1000L);
      }
      assertThat(client.ask("mg k v\r\n")).isEqualTo("VA 1");
      assertThat(client.line()).isEqualTo("b");

      try (ScriptedServer again =
          new ScriptedServer(main.address().getPort(), ScriptedServer::behave)) {
        assertThat(Patience.soon(() -> !state(gateway).contains("\"down\""))).isTrue();
        assertThat(client.ask("set k 0 0 1\r\ne\r\n")).isEqualTo("STORED");
        assertThat(again.lines()).containsExactly("set k 0 0 1");
      }
    }
  }

  @Test
  void shouldTellOfTheFirstPoolWhenNoneTakesRequests() throws Exception {
    try (ScriptedServer main = new ScriptedServer(ScriptedServer::behave);
        ScriptedServer other = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            start(
                "{pool: main, failover: [other]}",
                pool("main", "", main.address()),
                pool("other", "", other.address()));
        RawClient client = new RawClient(gateway.address())) {
      assertThat(Patience.soon(() -> state(gateway).split("\"state\":\"up\"", -1).length == 3))
          .isTrue();
      main.die();
      other.die();
      assertThat(Patience.soon(() -> state(gateway).split("\"state\":\"down\"", -1).length == 3))
          .isTrue();
      assertThat(client.ask("get k\r\n"))
          .startsWith("SERVER_ERROR server " + text(main.address()).replace("\"", ""));
    }
  }

  // --- ejection -----------------------------------------------------------------------------

  /** Answers until it is told to stall, and is quiet until it is told to answer again. */
  private static final class Moody {
    private volatile boolean stalls;

    void handle(ScriptedServer.Request request) throws IOException {
      if (!stalls) {
        ScriptedServer.behave(request);
      }
    }
  }

  @Test
  void shouldEjectAServerThatStallsAndTakeItBack() throws Exception {
    Moody mood = new Moody();
    try (ScriptedServer moody = new ScriptedServer(mood::handle);
        ScriptedServer other = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            start(
                "{pool: main}",
                pool(
                        "main",
                        "health: {failures: 2, probe: 50ms, ejectFor: 2s..2s}",
                        moody.address(),
                        other.address())
                    .replace(PATIENT, "timeout: 1s, queueTimeout: 20s"));
        RawClient client = new RawClient(gateway.address())) {
      String key = "";
      for (int i = 0; !moody.lines().contains("get " + key); i++) {
        key = "key" + i;
        assertThat(client.ask("get " + key + "\r\n")).startsWith("VALUE ");
        client.line();
        client.line();
      }
      mood.stalls = true;
      int failed = 0;
      String answer = "";
      while (!answer.startsWith("VALUE ")) {
        answer = client.ask("get " + key + "\r\n");
        if (!answer.startsWith("VALUE ")) {
          assertThat(answer).contains("timed out");
          failed++;
        }
      }
      client.line();
      client.line();
      assertThat(failed).isBetween(2, 3);
      assertThat(other.lines()).contains("get " + key);
      assertThat(state(gateway))
          .contains("\"state\":\"ejected\"", "failuresinarow", "\"ejections\":1");
      assertThat(gateway.gateway().scrape())
          .containsPattern("sluice_server_ejections_total\\{pool=\"main\",server=\"[^\"]*\"} 1.0");

      mood.stalls = false;
      String wanted = key;
      int before = moody.lines().size();
      assertThat(
              Patience.soon(
                  () -> {
                    try {
                      assertThat(client.ask("get " + wanted + "\r\n")).startsWith("VALUE ");
                      client.line();
                      client.line();
                    } catch (IOException e) {
                      throw new java.io.UncheckedIOException(e);
                    }
                    return moody.lines().size() > before;
                  }))
          .isTrue();
      assertThat(state(gateway)).doesNotContain("\"state\":\"ejected\"");
    }
  }

  @Test
  void shouldNotEjectMoreServersThanMayBe() throws Exception {
    ScriptedServer.Script silent = request -> {};
    try (ScriptedServer one = new ScriptedServer(silent);
        ScriptedServer two = new ScriptedServer(silent);
        RunningGateway gateway =
            start(
                "{pool: main}",
                pool(
                        "main",
                        "health: {failures: 1, ejectFor: 1h..1h}",
                        one.address(),
                        two.address())
                    .replace(PATIENT, "timeout: 300ms, queueTimeout: 20s"));
        RawClient client = new RawClient(gateway.address())) {
      for (int i = 0; i < 6; i++) {
        assertThat(client.ask("get key" + i + "\r\n")).contains("timed out");
      }
      assertThat(state(gateway).split("\"state\":\"ejected\"", -1)).hasSize(2);
    }
  }

  @Test
  void shouldSendToTheNextPoolWhatAnEjectedServerHad() throws Exception {
    try (ScriptedServer silent = new ScriptedServer(request -> {});
        ScriptedServer gutter = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            start(
                "{pool: main, failover: [gutter]}",
                pool(
                        "main",
                        "health: {failures: 1, ejectFor: 1h..1h, maxEjected: 100%}",
                        silent.address())
                    .replace(PATIENT, "timeout: 300ms, queueTimeout: 20s"),
                pool("gutter", "", gutter.address()));
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("get k\r\n")).contains("timed out");
      assertThat(client.ask("get k\r\n")).startsWith("VALUE k");
      assertThat(gutter.lines()).containsExactly("get k");
    }
  }

  // --- reads that are asked again -----------------------------------------------------------

  /** Closes the first connection on which it is asked something, in the middle of what it says. */
  private static final class Dying {
    private final String lastWords;
    private int connection;

    Dying(String lastWords) {
      this.lastWords = lastWords;
    }

    synchronized void handle(ScriptedServer.Request request) throws IOException {
      if (connection == 0 || connection == request.connection()) {
        connection = request.connection();
        request.reply(lastWords);
        request.socket().close();
      } else {
        ScriptedServer.behave(request);
      }
    }
  }

  @Test
  void shouldAskAgainWhatOnlyReads() throws Exception {
    try (ScriptedServer server = new ScriptedServer(new Dying("")::handle);
        RunningGateway gateway =
            start("{pool: main}", pool("main", "retries: {max: 1}", server.address()));
        RawClient client = new RawClient(gateway.address())) {
      client.send("set b 0 0 1\r\nx\r\nget a\r\nget c d\r\n");
      assertThat(client.line()).startsWith("SERVER_ERROR ").contains("closed the connection");
      assertThat(client.line()).isEqualTo("VALUE a 0 1");
      assertThat(client.line()).isEqualTo("a");
      assertThat(client.line()).isEqualTo("END");
      assertThat(client.line()).isEqualTo("VALUE c 0 1");
      assertThat(client.line()).isEqualTo("c");
      assertThat(client.line()).isEqualTo("VALUE d 0 1");
      assertThat(client.line()).isEqualTo("d");
      assertThat(client.line()).isEqualTo("END");
      assertThat(gateway.inFlight()).isZero();
    }
  }

  /** The server may have done the write: the read, asked now, would see what came after it. */
  @Test
  void shouldNotAskAgainWhatHasAWriteBehindIt() throws Exception {
    ScriptedServer.Script script =
        request -> {
          if (request.line().startsWith("set ")) {
            request.socket().close();
          }
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway =
            start("{pool: main}", pool("main", "retries: {max: 1}", server.address()));
        RawClient client = new RawClient(gateway.address())) {
      client.send("get a\r\nset a 0 0 1\r\nx\r\n");
      assertThat(client.line()).startsWith("SERVER_ERROR ").contains("closed the connection");
      assertThat(client.line()).startsWith("SERVER_ERROR ").contains("closed the connection");
      assertThat(server.lines()).containsExactly("get a", "set a 0 0 1");
    }
  }

  /** It is asked over a connection that is not the client's own. */
  @Test
  void shouldLetNoWriteOvertakeAReadThatIsAskedAgain() throws Exception {
    List<String> done = new CopyOnWriteArrayList<>();
    Set<String> lost = ConcurrentHashMap.newKeySet();
    ScriptedServer.Script script =
        request -> {
          if (request.line().startsWith("get ") && lost.add(request.key())) {
            request.socket().close();
            return;
          }
          if (request.line().startsWith("get ")) {
            Thread.sleep(100); // a write would come meanwhile
          }
          done.add(request.line());
          ScriptedServer.behave(request);
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway =
            start(
                "{pool: main}",
                pool("main", "retries: {max: 1}", server.address())
                    .replace("connections: {", "connections: {perEventLoop: 2, "))) {
      for (String key : List.of("a", "b")) {
        done.clear();
        try (RawClient client = new RawClient(gateway.address())) {
          client.send("get " + key + "\r\n");
          String get = "get " + key;
          assertThat(Patience.soon(() -> server.lines().stream().filter(get::equals).count() == 2))
              .isTrue();
          client.send("set " + key + " 0 0 1\r\nx\r\n");
          assertThat(client.line()).startsWith("VALUE " + key);
          assertThat(client.line()).isEqualTo(key);
          assertThat(client.line()).isEqualTo("END");
          assertThat(client.line()).isEqualTo("STORED");
          assertThat(done).containsExactly(get, "set " + key + " 0 0 1");
        }
      }
    }
  }

  @Test
  void shouldNotAskAgainWhenTheReplyHasBegun() throws Exception {
    try (ScriptedServer server = new ScriptedServer(new Dying("VALUE a 0 5\r\nab")::handle);
        RunningGateway gateway =
            start("{pool: main}", pool("main", "retries: {max: 1}", server.address()));
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("get a\r\n")).startsWith("SERVER_ERROR ");
      assertThat(client.ask("get a\r\n")).isEqualTo("VALUE a 0 1");
    }
  }

  @Test
  void shouldNotAskAgainForEver() throws Exception {
    try (ScriptedServer server = new ScriptedServer(request -> request.socket().close());
        RunningGateway gateway =
            start("{pool: main}", pool("main", "retries: {max: 2}", server.address()));
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("get a\r\n")).startsWith("SERVER_ERROR ");
      assertThat(server.lines()).containsExactly("get a", "get a", "get a");
    }
  }

  @Test
  void shouldKeepToItsBudget() throws Exception {
    try (ScriptedServer server = new ScriptedServer(request -> request.socket().close());
        RunningGateway gateway =
            start("{pool: main}", pool("main", "retries: {max: 1, budget: 1%}", server.address()));
        RawClient client = new RawClient(gateway.address())) {
      for (int i = 0; i < 40; i++) {
        assertThat(client.ask("get a\r\n")).startsWith("SERVER_ERROR ");
      }
      // 16 whatever the share, and one of each hundred
      assertThat(server.lines().size()).isBetween(40 + 15, 40 + 17);
    }
  }

  // --- after silence ------------------------------------------------------------------------

  /** Forgets a connection that was silent for long without a word, as firewalls do. */
  private static final class Forgetful {
    private final java.util.Map<Integer, Long> last =
        new java.util.concurrent.ConcurrentHashMap<>();

    void handle(ScriptedServer.Request request) throws IOException {
      Long before = last.put(request.connection(), System.nanoTime());
      if (before != null && System.nanoTime() - before > 300_000_000L) {
        request.socket().close();
      } else {
        ScriptedServer.behave(request);
      }
    }
  }

  @Test
  void shouldAskASilentServerWhetherItIsThereBeforeARequestIsSent() throws Exception {
    Forgetful forgetful = new Forgetful();
    try (ScriptedServer server = new ScriptedServer(forgetful::handle).versionToo();
        RunningGateway gateway = start("{pool: main}", pool("main", "", server.address()));
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("set k 0 0 1\r\na\r\n")).isEqualTo("STORED");
      for (int i = 0; i < 3; i++) {
        Thread.sleep(400);
        assertThat(client.ask("set k 0 0 1\r\nb\r\n")).isEqualTo("STORED");
      }
      assertThat(server.lines().stream().filter(line -> line.startsWith("set"))).hasSize(4);
    }
  }
}
