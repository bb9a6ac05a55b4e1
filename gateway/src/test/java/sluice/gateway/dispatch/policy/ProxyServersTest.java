package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testkit.Packet;

/**
 * Servers that are not memcached, such as twemproxy: for what they do not know, they end the
 * connection, which other clients use.
 */
class ProxyServersTest {
  private static final String PROXY = "0.5.0";
  private static final String COMPRESSED = "compression: {algorithm: lz4, above: 1KiB}";

  private static ScriptedPools poolsOf(String version, String keys) {
    return RefusedLinesTest.poolsOf(version, keys);
  }

  /** twemproxy takes no minus there. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "set k 5 -1 1         | set k 5 2592001 1",
        "add k 0 -7 1         | add k 0 2592001 1",
        "cas k 0 -1 1 9       | cas k 0 2592001 1 9",
        "set k 0 -1 1 noreply | set k 0 2592001 1",
        "set k 0 9 1          | set k 0 9 1"
      })
  void shouldGetAnExpiredTimeToLiveAsADate(String line, String expected) {
    for (String keys : new String[] {"dialect: same", COMPRESSED}) {
      try (ScriptedPools pools = poolsOf(PROXY, keys)) {
        SocketlessServer own = pools.server("own");
        SocketlessClient client = pools.client();
        String told = line.endsWith("noreply") ? "" : "STORED\r\n";
        client.sends(line + "\r\nx\r\n");
        assertThat(own.asked()).isEqualTo(expected + "\r\nx\r\n");
        own.answers("STORED\r\n");
        assertThat(client.told()).isEqualTo(told);
        client.sends(line + "\r\n"); // its value is gathered
        client.sends("x\r\n");
        assertThat(own.asked()).isEqualTo(expected + "\r\nx\r\n");
        own.answers("STORED\r\n");
        assertThat(client.told()).isEqualTo(told);
      }
    }
  }

  @Test
  void shouldGetAnExpiredTimeToLiveOfAStreamedValueAsADate() {
    try (ScriptedPools pools = poolsOf(PROXY, "dialect: same")) {
      SocketlessServer own = pools.server("own");
      SocketlessClient client = pools.client();
      client.sends("set k 0 -1 100000\r\n");
      client.sends("x".repeat(100_000) + "\r\n");
      assertThat(own.asked()).startsWith("set k 0 2592001 100000\r\nxxx");
      own.answers("STORED\r\n");
      assertThat(client.told()).isEqualTo("STORED\r\n");
    }
  }

  @Test
  void shouldGetATouchAsItIs() {
    try (ScriptedPools pools = poolsOf(PROXY, COMPRESSED)) {
      SocketlessServer own = pools.server("own");
      SocketlessClient client = pools.client();
      client.sends("touch k 9\r\n");
      assertThat(own.asked()).isEqualTo("touch k 9\r\n");
      own.answers("TOUCHED\r\n");
      assertThat(client.told()).isEqualTo("TOUCHED\r\n");
    }
  }

  /** As gat, it would be unknown. */
  @Test
  void shouldGetNoGatOfABinaryClient() {
    try (ScriptedPools pools = poolsOf(PROXY, "dialect: text")) {
      SocketlessClient client = pools.client();
      client.sends(packet(0x1d, "\0\0\0<", "k"));
      assertThat(client.told()).startsWith(head(0x1d, 4));
      assertThat(pools.server("own").asked()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "stats             | stats       | STAT a 1\\r\\nEND | STAT a 1\\r\\nEND\\r\\n",
        "stats reset       | stats reset | RESET             | RESET\\r\\n",
        "flush_all         | flush_all   | OK                | OK\\r\\n",
        "flush_all noreply | flush_all   | OK                | ''",
        "verbosity 1       | verbosity 1 | ERROR             | ERROR\\r\\n"
      })
  void shouldGetACommandWithoutAKeyOnAnExclusiveConnection(
      String line, String asked, String answer, String told) {
    try (ScriptedPools pools = poolsOf(PROXY, "dialect: same")) {
      SocketlessServer own = pools.server("own");
      int before = own.connections();
      SocketlessClient client = pools.client();
      client.sends(line + "\r\nmn\r\n");
      assertThat(own.asked()).isEqualTo(asked + "\r\n");
      assertThat(own.connections()).isEqualTo(before + 1);
      own.answers(answer.replace("\\r\\n", "\r\n") + "\r\n");
      assertThat(client.told()).isEqualTo(told.replace("\\r\\n", "\r\n") + "MN\r\n");
      pools.run();
      assertThat(own.connections()).isEqualTo(before);
    }
  }

  @Test
  void shouldGetACommandWithoutAKeyOfABinaryClientOnAnExclusiveConnection() {
    try (ScriptedPools pools = poolsOf(PROXY, "dialect: text")) {
      SocketlessServer own = pools.server("own");
      int before = own.connections();
      SocketlessClient client = pools.client();
      client.sends(packet(0x08, "", ""));
      assertThat(own.asked()).isEqualTo("flush_all\r\n");
      assertThat(own.connections()).isEqualTo(before + 1);
      own.answers("OK\r\n");
      assertThat(client.told()).isEqualTo(head(0x08, 0) + "\0".repeat(16));
    }
  }

  /** The connections for values that are still arriving are those of the clients that send them. */
  @Test
  void shouldGetSuchACommandWhileClientsStopInsideLargeValues() {
    try (ScriptedPools pools = poolsOf(PROXY, "connections: {streams: 1}")) {
      SocketlessServer own = pools.server("own");
      SocketlessClient stops = pools.client();
      stops.sends("set k 0 0 100000\r\nx");
      assertThat(own.asked()).isEqualTo("set k 0 0 100000\r\nx");
      SocketlessClient client = pools.client();
      client.sends("stats\r\n");
      assertThat(own.asked()).isEqualTo("stats\r\n");
      own.answers("STAT a 1\r\nEND\r\n");
      assertThat(client.told()).isEqualTo("STAT a 1\r\nEND\r\n");
    }
  }

  @Test
  void shouldShareAConnectionForSuchACommandIfItIsMemcached() {
    try (ScriptedPools pools = poolsOf("1.6.18", "dialect: same")) {
      SocketlessServer own = pools.server("own");
      int before = own.connections();
      SocketlessClient client = pools.client();
      client.sends("stats\r\n");
      assertThat(own.asked()).isEqualTo("stats\r\n");
      assertThat(own.connections()).isEqualTo(before);
      own.answers("END\r\n");
      assertThat(client.told()).isEqualTo("END\r\n");
    }
  }

  @Test
  void shouldGetNoSuchCommandBesideOtherServers() {
    try (ScriptedPools pools =
        new ScriptedPools("{pool: own}", "own: servers: [\"proxy:1\", \"memcached:1\"]")) {
      SocketlessServer proxy = pools.server("proxy", PROXY);
      SocketlessServer memcached = pools.server("memcached");
      SocketlessClient client = pools.client();
      client.sends("stats\r\nmn\r\n");
      assertThat(proxy.asked()).isEmpty();
      assertThat(memcached.asked()).isEqualTo("stats\r\n");
      memcached.answers("STAT a 1\r\nEND\r\n");
      assertThat(client.told())
          .isEqualTo("CLIENT_ERROR stats needs a route to one server\r\nMN\r\n");
      client.sends("version\r\n");
      assertThat(client.told()).isEqualTo("VERSION " + PROXY + "\r\n");
    }
  }

  /** A client could otherwise have the server ejected, again and again. */
  @ParameterizedTest
  @ValueSource(strings = {"stats", "stats x"})
  void shouldNotBeBlamedForEndingTheConnectionOfSuchACommand(String line) {
    assertNotBlamed(
        line, pools -> pools.server("own").closesConnections(), "closed the connection");
  }

  @ParameterizedTest
  @ValueSource(strings = {"stats", "stats x"})
  void shouldNotBeBlamedForNoAnswerToSuchACommand(String line) {
    assertNotBlamed(line, pools -> pools.pass(1_000), "timed out"); // the timeout is half of it
  }

  /** A client that sends line is told how the server fails, which is not ejected for it. */
  private static void assertNotBlamed(String line, Consumer<ScriptedPools> failing, String told) {
    try (ScriptedPools pools = poolsOf(PROXY, "health: {failures: 1, maxEjected: 100%}")) {
      SocketlessClient client = pools.client();
      client.sends(line + "\r\n");
      assertThat(pools.server("own").asked()).isEqualTo(line + "\r\n");
      failing.accept(pools);
      assertThat(client.told()).isEqualTo("SERVER_ERROR server own:1 " + told + "\r\n");
      assertThat(pools.status("own", "own:1").health().isEjected()).isFalse();
    }
  }

  private static String packet(int opcode, String extras, String key) {
    return Packet.text(opcode, extras, key, "", 0);
  }

  /** The first half of the head of a reply without a key and extras. */
  private static String head(int opcode, int status) {
    return "\u0081" + (char) opcode + "\0".repeat(5) + (char) status;
  }
}
