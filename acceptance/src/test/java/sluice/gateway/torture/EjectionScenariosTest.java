package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.torture.Scenario.get;
import static sluice.gateway.torture.Scenario.impatientPool;
import static sluice.gateway.torture.Scenario.pool;
import static sluice.gateway.torture.Scenario.set;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.scripted.ScriptedServer;

/**
 * What twemproxy's notes promise of auto_eject_hosts, and mcrouter's tests of its TKO, as far as
 * {@link FailoverTest} and {@link KilledServerTest} have not; which is which stands in
 * docs/how-to/importing.md.
 */
class EjectionScenariosTest {
  private static final int KEYS = 60;
  private static final String LONG_OUT = "health: {failures: 1, ejectFor: 1h..1h}";
  private static final String EJECTS_ALL =
      "health: {failures: 1, ejectFor: 1h..1h, maxEjected: 100%}";

  /** Keys whose beginnings differ: the hash spreads others little. */
  private static String key(int i) {
    return Integer.toString((i + 1) * 7919, 36) + "key";
  }

  /** The keys of each server, which have their name for a value. */
  private static List<List<String>> place(Scenario scenario, RealMemcached... servers)
      throws IOException {
    RawClient client = scenario.client();
    List<List<String>> placed = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      assertThat(set(client, key(i), key(i))).isEqualTo("STORED");
    }
    for (RealMemcached server : servers) {
      List<String> keys = new ArrayList<>();
      RawClient direct = scenario.client(server.address());
      for (int i = 0; i < KEYS; i++) {
        if (get(direct, key(i)).equals(key(i))) {
          keys.add(key(i));
        }
      }
      assertThat(keys).isNotEmpty();
      placed.add(keys);
    }
    return placed;
  }

  private static String ring(String more) {
    return "hash: {function: fnv1a_64, distribution: ketama}" + (more.isEmpty() ? "" : ", " + more);
  }

  /** Without ejection a dead server costs its own keys, and a read of many keys of all servers. */
  @Test
  void shouldLoseTheKeysOfADeadServerAndNoOthers() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached[] servers = {scenario.memcached(), scenario.memcached(), scenario.memcached()};
      scenario.gateway(
          "{pool: main}",
          pool(
              "main",
              ring("multiGet: {onFailure: miss}"),
              servers[0].address(),
              servers[1].address(),
              servers[2].address()));
      List<List<String>> keys = place(scenario, servers);
      servers[1].close();
      scenario.becomes(servers[1].address(), "down");
      RawClient client = scenario.client();
      for (int i = 0; i < 3; i++) {
        for (String key : keys.get(i)) {
          if (i == 1) {
            assertThat(get(client, key)).startsWith("SERVER_ERROR ");
            assertThat(set(client, key, "new")).startsWith("SERVER_ERROR ");
          } else {
            assertThat(get(client, key)).isEqualTo(key);
          }
        }
      }
      assertThat(many(client)).containsExactlyInAnyOrderElementsOf(sum(keys.get(0), keys.get(2)));
    }
  }

  private static List<String> sum(List<String> one, List<String> other) {
    List<String> sum = new ArrayList<>(one);
    sum.addAll(other);
    return sum;
  }

  /** The values that a read of all keys brings. */
  private static List<String> many(RawClient client) throws IOException {
    StringBuilder read = new StringBuilder("get");
    for (int i = 0; i < KEYS; i++) {
      read.append(' ').append(key(i));
    }
    List<String> values = new ArrayList<>();
    String line = client.ask(read + "\r\n");
    for (; line.startsWith("VALUE "); line = client.line()) {
      values.add(client.line());
    }
    assertThat(line).isEqualTo("END");
    return values;
  }

  /** The keys of a server that is out are somewhere else; all others stay where they are. */
  @Test
  void shouldMoveTheKeysOfAnEjectedServerAndNoOthers() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached[] servers = {scenario.memcached(), scenario.memcached(), scenario.memcached()};
      scenario.gateway(
          "{pool: main}",
          pool(
              "main",
              ring("health: {failures: 3, ejectFor: 1h..1h}"),
              servers[0].address(),
              servers[1].address(),
              servers[2].address()));
      List<List<String>> keys = place(scenario, servers);
      servers[1].close();
      RawClient client = scenario.client();
      String lost = keys.get(1).get(0);
      // Who asks again as often as it takes fails so many times, and then not any more.
      int failures = 0;
      for (String answer = get(client, lost); !answer.equals("END"); answer = get(client, lost)) {
        assertThat(answer).startsWith("SERVER_ERROR ");
        failures++;
        assertThat(failures).isLessThanOrEqualTo(3);
      }
      assertThat(scenario.is(servers[1].address(), "ejected")).isTrue();
      for (String key : keys.get(1)) {
        assertThat(get(client, key)).isEqualTo("END");
        assertThat(set(client, key, key)).isEqualTo("STORED");
      }
      assertThat(many(client)).hasSize(KEYS);
      assertThat(
              scenario.counted(servers[0], "curr_items")
                  + scenario.counted(servers[2], "curr_items"))
          .isEqualTo(KEYS);
      for (int i : new int[] {0, 2}) {
        RawClient direct = scenario.client(servers[i].address());
        for (String key : keys.get(i)) {
          assertThat(get(direct, key)).isEqualTo(key);
          assertThat(get(client, key)).isEqualTo(key);
        }
      }
    }
  }

  /** Answers, or is silent, as it is told. */
  private static final class Mood implements ScriptedServer.Script {
    private final AtomicBoolean silent = new AtomicBoolean(true);

    @Override
    public void handle(ScriptedServer.Request request) throws IOException {
      if (!silent.get()) {
        ScriptedServer.behave(request);
      }
    }
  }

  private static void eject(Scenario scenario, InetSocketAddress server) throws IOException {
    RawClient client = scenario.client();
    for (int i = 0; !scenario.is(server, "ejected"); i++) {
      get(client, key(i));
      assertThat(i).isLessThan(500);
    }
  }

  @Test
  void shouldForgetAnEjectedServerThatLeavesTheConfiguration() throws Exception {
    try (Scenario scenario = new Scenario()) {
      ScriptedServer silent = scenario.scripted(new Mood());
      RealMemcached good = scenario.memcached();
      scenario.gateway(
          "{pool: main}", impatientPool("main", LONG_OUT, silent.address(), good.address()));
      eject(scenario, silent.address());
      scenario.reload("{pool: main}", impatientPool("main", LONG_OUT, good.address()));
      RawClient client = scenario.client();
      for (int i = 0; i < 20; i++) {
        assertThat(set(client, key(i), "x")).isEqualTo("STORED");
      }
      assertThat(scenario.gateway().admin("/pools"))
          .doesNotContain("ejected\"", Scenario.name(silent.address()));
    }
  }

  @Test
  void shouldKeepAServerEjectedOverAReload() throws Exception {
    try (Scenario scenario = new Scenario()) {
      ScriptedServer silent = scenario.scripted(new Mood());
      RealMemcached good = scenario.memcached();
      RealMemcached another = scenario.memcached();
      scenario.gateway(
          "{pool: main}", impatientPool("main", LONG_OUT, silent.address(), good.address()));
      eject(scenario, silent.address());
      scenario.reload(
          "{pool: main}",
          impatientPool("main", LONG_OUT, silent.address(), good.address(), another.address()));
      assertThat(scenario.is(silent.address(), "ejected")).isTrue();
      int asked = silent.lines().size();
      RawClient client = scenario.client();
      for (int i = 0; i < 40; i++) {
        assertThat(set(client, key(i), "x")).isEqualTo("STORED");
      }
      assertThat(silent.lines()).hasSize(asked);
    }
  }

  /** Its connections have been closed meanwhile, for nobody used them. */
  @Test
  void shouldTakeBackAServerToWhichNoConnectionIsLeft() throws Exception {
    Mood mood = new Mood();
    try (Scenario scenario = new Scenario()) {
      ScriptedServer moody = scenario.scripted(mood);
      RealMemcached good = scenario.memcached();
      scenario.gateway(
          "{pool: main}",
          impatientPool(
                  "main",
                  "health: {failures: 1, probe: 50ms, ejectFor: 500ms..500ms}",
                  moody.address(),
                  good.address())
              .replace("connections: {", "connections: {idle: 100ms, "));
      eject(scenario, moody.address());
      mood.silent.set(false);
      scenario.becomes(moody.address(), "(up|untried)");
      RawClient client = scenario.client();
      int asked = moody.lines().size();
      AtomicInteger next = new AtomicInteger(); // what was late may have it out once more meanwhile
      Scenario.becomes(
          () -> {
            get(client, key(next.getAndIncrement() % KEYS));
            return moody.lines().size() > asked && scenario.is(moody.address(), "up");
          });
    }
  }

  /** A gateway before a gateway: what the inner one says of its servers is not its own failure. */
  @Test
  void shouldNotBlameAGatewayForTheServersBehindIt() throws Exception {
    try (Scenario inner = new Scenario();
        Scenario outer = new Scenario()) {
      RealMemcached[] servers = {inner.memcached(), inner.memcached()};
      inner.gateway(
          "{pool: main}", pool("main", ring(""), servers[0].address(), servers[1].address()));
      List<List<String>> keys = place(inner, servers);
      servers[1].close();
      inner.becomes(servers[1].address(), "down");
      RealMemcached other = outer.memcached();
      outer.gateway(
          "{pool: main, failover: [gutter]}",
          pool("main", EJECTS_ALL, inner.gateway().address()),
          pool("gutter", "", other.address()));
      RawClient client = outer.client();
      for (String key : keys.get(1)) {
        assertThat(client.ask("delete " + key + "\r\n"))
            .startsWith("SERVER_ERROR server " + Scenario.name(servers[1].address()));
      }
      for (String key : keys.get(0)) {
        assertThat(get(client, key)).isEqualTo(key);
      }
      assertThat(client.ask("version\r\n")).startsWith("VERSION ");
      assertThat(outer.is(inner.gateway().address(), "up")).isTrue();
      servers[0].close();
      inner.becomes(servers[0].address(), "down");
      assertThat(inner.client().ask("version\r\n")).startsWith("SERVER_ERROR ");
    }
  }

  /** The same for clients that speak binary. */
  @Test
  void shouldTellTheVersionOfTheServersThatAreLeftInBinaryToo() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached[] servers = {scenario.memcached(), scenario.memcached()};
      scenario.gateway(
          "{pool: main}", pool("main", "", servers[0].address(), servers[1].address()));
      byte[] version = new byte[24];
      version[0] = (byte) 0x80;
      version[1] = 0x0b;
      RawClient client = scenario.client();
      for (int dead = 0; dead < 3; dead++) {
        byte[] head = client.send(version).read(24);
        assertThat(head[7]).isEqualTo((byte) (dead < 2 ? 0 : 0x86));
        String body = new String(client.read(head[11]), StandardCharsets.ISO_8859_1);
        if (dead < 2) {
          assertThat(body).startsWith("1.");
          servers[dead].close();
          scenario.becomes(servers[dead].address(), "down");
        } else {
          assertThat(body).isNotEmpty();
        }
      }
    }
  }

  /** What a client does is no failure of the server. */
  @Test
  void shouldNotEjectAServerForClientsThatLeaveInsideALargeValue() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached server = scenario.memcached();
      scenario.gateway("{pool: main}", pool("main", EJECTS_ALL, server.address()));
      RawClient other = scenario.client();
      for (int i = 0; i < 5; i++) {
        try (RawClient leaves = new RawClient(scenario.gateway().address())) {
          leaves.send("set large 0 0 200000\r\n" + "x".repeat(100_000));
          Scenario.becomes(() -> scenario.gateway().inFlight() == 1);
        }
        Scenario.becomes(() -> scenario.gateway().inFlight() == 0);
      }
      assertThat(other.ask("set large 0 0 200000\r\n" + "x".repeat(200_001) + "y"))
          .isEqualTo("CLIENT_ERROR bad data chunk");
      assertThat(set(other, "k", "v")).isEqualTo("STORED");
      assertThat(scenario.is(server.address(), "up")).isTrue();
    }
  }

  /** A key that holds a line end makes a list of keys look like no reply. */
  @Test
  void shouldNotEjectAServerForAKeyThatHoldsALineEnd() throws Exception {
    try (Scenario scenario = new Scenario()) {
      ScriptedServer server =
          scenario.scripted(
              request -> {
                if (request.line().startsWith("stats ")) {
                  request.reply("ITEM a\nSTORED\r\nb [1 b; 0 s]\r\nEND\r\n");
                } else {
                  ScriptedServer.behave(request);
                }
              });
      scenario.gateway(
          "{pool: main}", pool("main", EJECTS_ALL + ", dialect: meta", server.address()));
      byte[] list = ("\0".repeat(24) + "cachedump 1 0").getBytes(StandardCharsets.ISO_8859_1);
      list[0] = (byte) 0x80;
      list[1] = 0x10;
      list[3] = 13;
      list[11] = 13;
      try (RawClient operator = new RawClient(scenario.gateway().address())) {
        byte[] head = operator.send(list).read(24);
        while (head[7] == 0 && head[3] > 0) {
          operator.read(head[11]);
          head = operator.read(24);
        }
        assertThat(head[7]).as("status").isEqualTo((byte) 0x86);
      }
      assertThat(scenario.is(server.address(), "up")).isTrue();
      assertThat(scenario.metric("sluice_server_protocol_errors_total", "")).isZero();
      assertThat(server.lines()).contains("stats cachedump 1 0");
    }
  }

  /**
   * The server sends what another client has asked for: those behind wait, but it does not fail.
   */
  @Test
  void shouldNotEjectAServerThatIsBusyWithALargeReply() throws Exception {
    String part = "x".repeat(10_000);
    int parts = 40;
    ScriptedServer.Script script =
        request -> {
          if (!request.line().equals("get large")) {
            ScriptedServer.behave(request);
            return;
          }
          request.reply("VALUE large 0 " + parts * part.length() + "\r\n");
          for (int i = 0; i < parts; i++) {
            request.reply(part);
            Thread.sleep(150); // far less than the timeout each, far more in all
          }
          request.reply("\r\nEND\r\n");
        };
    try (Scenario scenario = new Scenario()) {
      ScriptedServer server = scenario.scripted(script);
      scenario.gateway(
          "{pool: main}",
          impatientPool("main", EJECTS_ALL, server.address())
              .replace("probeAfter: 100ms", "perEventLoop: 1"));
      RawClient other = scenario.client();
      try (RawClient leaves = new RawClient(scenario.gateway().address())) {
        leaves.send("get large\r\n");
        assertThat(leaves.line()).startsWith("VALUE large");
        other.send("get small\r\n");
      }
      assertThat(other.line()).endsWith(" timed out");
      assertThat(scenario.is(server.address(), "up")).isTrue();
      assertThat(get(other, "again")).isEqualTo("again");
    }
  }

  /** With no other server to go to, requests to an ejected one fail before their timeout. */
  @Test
  void shouldFailAtOnceWhereAllServersAreEjected() throws Exception {
    try (Scenario scenario = new Scenario()) {
      ScriptedServer silent = scenario.scripted(request -> {});
      scenario.gateway(
          "{pool: main}",
          impatientPool("main", EJECTS_ALL, silent.address())
              .replace("probeAfter: 100ms", "probeAfter: 1h"));
      assertThat(get(scenario.client(), "a")).startsWith("SERVER_ERROR server ");
      scenario.becomes(silent.address(), "ejected");
      int asked = silent.requests().size();
      RawClient client = scenario.client();
      for (int i = 0; i < 100; i++) {
        assertThat(get(client, "b")).contains(" is ejected: ");
      }
      String large = "x".repeat(100_000);
      assertThat(set(client, "large", large)).contains(" is ejected: ");
      assertThat(client.ask("mg b v\r\n")).contains(" is ejected: ");
      assertThat(silent.requests()).hasSize(asked);
    }
  }
}
