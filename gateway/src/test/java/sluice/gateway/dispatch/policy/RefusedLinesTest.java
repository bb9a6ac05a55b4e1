package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines that the gateway refuses itself: what follows them is read as what it is. */
class RefusedLinesTest {
  private static final String K249 = "k".repeat(249);
  private static final String K251 = "k".repeat(251);
  private static final String HALF = "x".repeat(50_000);

  /** The key is legal, and too long once it is renamed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "same   | set %s 0 0 1 noreply\\r\\nx",
        "same   | delete %s noreply",
        "same   | incr %s 1 noreply",
        "same   | touch %s 1 noreply",
        "meta   | set %s 0 0 1 noreply\\r\\nx",
        "meta   | delete %s noreply",
        "meta   | incr %s 1 noreply",
        "binary | set %s 0 0 1 noreply\\r\\nx",
        "binary | decr %s 1 noreply"
      })
  void shouldAnswerNothingToARequestThatWantsNoReply(String dialect, String request) {
    try (ScriptedPools pools =
        new ScriptedPools("{pool: own, key: {add: 'zz:'}}", "own: dialect: " + dialect)) {
      SocketlessClient client = pools.client();
      String line = request.formatted(K249).replace("\\r\\n", "\r\n");
      client.sends(line + "\r\nmn\r\n");
      pools.pass(1000); // no server answers
      assertThat(client.told()).isEqualTo("MN\r\n");
    }
  }

  /** A third party that chooses the value must not choose what runs. */
  @ParameterizedTest
  @ValueSource(strings = {"set %s 0 0 9", "set a\0b 0 0 9", "cas %s 0 0 9 7", "ms %s 9"})
  void shouldNotRunTheBlockOfALineForAServerThatWasNeverReached(String line) {
    try (ScriptedPools pools = new ScriptedPools("{pool: own}", "own")) {
      pools.server("own").goesDown();
      SocketlessClient client = pools.client();
      client.sends(line.formatted(K251) + "\r\nbogus\r\nxy\r\nmn\r\n");
      assertThat(client.told()).matches("((CLIENT|SERVER)_)?ERROR.*\r\nMN\r\n");
    }
  }

  /** A pool of one server that reports a version, and has answered a get. */
  static ScriptedPools poolsOf(String version, String keys) {
    ScriptedPools pools = new ScriptedPools("{pool: own}", "own: " + keys);
    SocketlessServer own = pools.server("own", version);
    SocketlessClient client = pools.client();
    client.sends("get k\r\n");
    assertThat(own.asked()).isEqualTo("get k\r\n");
    own.answers("END\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
    return pools;
  }

  /** It would run the value. */
  @ParameterizedTest
  @ValueSource(strings = {"1.4.39", "1.5.22", "1.6.9", "3.0.3"})
  void shouldNotRunTheValueOfAnMsForAServerThatDoesNotKnowIt(String version) {
    try (ScriptedPools pools = poolsOf(version, "dialect: same")) {
      SocketlessClient client = pools.client();
      client.sends("ms k 9\r\nflush_all\r\nmn\r\n");
      assertThat(client.told()).isEqualTo("ERROR\r\nMN\r\n");
      client.sends("ms k S9 T0\r\nflush_all\r\nmn\r\n");
      assertThat(client.told()).isEqualTo("ERROR\r\nMN\r\n");
      String large = "flush_all\r\n".repeat(10_000);
      client.sends("ms k " + large.length() + "\r\n" + large + "\r\nmn\r\n");
      assertThat(client.told()).isEqualTo("ERROR\r\nMN\r\n");
      assertThat(pools.server("own").asked()).isEmpty();
    }
  }

  /** Proxies end the connection, which others use, for such a key. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "get a\rb",
        "gets a\u0001b",
        "get a b\rc",
        "delete a\u007fb",
        "incr a\tb 1",
        "touch a\rb 1",
        "set a\rb 0 0 1\r\nx",
        "add a\u0001b 0 0 1\r\nx",
        "delete noreply" // which memcached gets with a 0 behind it
      })
  void shouldNotSendAKeyToWhatIsNotMemcachedAndMayNotReadIt(String request) {
    try (ScriptedPools pools = poolsOf("0.5.0", "dialect: same")) {
      SocketlessClient client = pools.client();
      client.sends(request + "\r\nmn\r\n");
      assertThat(client.told()).isEqualTo("ERROR\r\nMN\r\n");
      assertThat(pools.server("own").asked()).isEmpty();
    }
  }

  /** The same for the parts of a request, and in a form that the gateway writes itself. */
  @Test
  void shouldNotSendSuchAKeyInAnyOtherForm() {
    try (ScriptedPools pools = poolsOf("0.5.0", "dialect: same")) {
      SocketlessClient client = pools.client();
      client.sends("set a\u0001b 0 0 1\r\n");
      client.sends("x\r\nmn\r\n");
      assertThat(client.told()).isEqualTo("ERROR\r\nMN\r\n");
      client.sends("set a\rb 0 0 100000\r\n"); // is not gathered
      client.sends("x".repeat(100_000) + "\r\nmn\r\n");
      assertThat(client.told()).isEqualTo("ERROR\r\nMN\r\n");
      assertThat(pools.server("own").asked()).isEmpty();
    }
  }

  /** Some end the connection for a command that they do not know. */
  @ParameterizedTest
  @ValueSource(strings = {"get a\u0001b", "delete noreply", "gat 9 k", "gats 9 k", "mg k T9 v"})
  void shouldNotBridgeToWhatIsNotMemcachedWhatItMayNotKnow(String request) {
    try (ScriptedPools pools = poolsOf("0.5.0", "compression: {algorithm: lz4, above: 1KiB}")) {
      SocketlessClient client = pools.client();
      client.sends(request + "\r\nmn\r\n");
      assertThat(client.told()).startsWith("CLIENT_ERROR unsupported: ").endsWith("\r\nMN\r\n");
      assertThat(pools.server("own").asked()).isEmpty();
    }
  }

  /** So long that it is streamed: in two parts, because a whole request is not. */
  private static void sendsLarge(SocketlessClient client, String line, String behind) {
    client.sends(line + " 0 0 100000\r\n" + HALF);
    client.sends(HALF + "\r\n" + behind);
  }

  /** A value that is streamed has a connection of its own, but its loss counts as a failure. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dialect: same                              | ERROR",
        "'values: {replace: [{find: a, with: b}]}'  | CLIENT_ERROR unsupported: .*"
      })
  void shouldNotSendSuchAKeyWithALargeValue(String keys, String refusal) {
    try (ScriptedPools pools = poolsOf("0.5.0", keys)) {
      SocketlessClient client = pools.client();
      sendsLarge(client, "set a\rb", "mn\r\n");
      assertThat(client.told()).matches(refusal + "\r\nMN\r\n");
      assertThat(pools.server("own").asked()).isEmpty();
    }
  }

  /** Only the connection that is made for the value tells what the server is now. */
  @Test
  void shouldNotSendSuchAKeyWithALargeValueToWhatIsNotMemcachedAnyMore() {
    try (ScriptedPools pools = poolsOf("1.6.45", "dialect: same")) {
      SocketlessServer own = pools.server("own");
      SocketlessClient client = pools.client();
      sendsLarge(client, "set a\rb", "");
      assertThat(own.asked()).isEqualTo("set a\rb 0 0 100000\r\n" + HALF + HALF + "\r\n");
      own.answers("STORED\r\n");
      assertThat(client.told()).isEqualTo("STORED\r\n");
      own.closesConnections();
      pools.run();
      own.hasVersion("0.5.0");
      sendsLarge(client, "set a\rb", "mn\r\n");
      assertThat(client.told())
          .isEqualTo(
              "SERVER_ERROR server own:1 does not take a key with a control character\r\nMN\r\n");
      assertThat(own.asked()).isEmpty();
      sendsLarge(client, "set ab", "");
      assertThat(own.asked()).isEqualTo("set ab 0 0 100000\r\n" + HALF + HALF + "\r\n");
      own.answers("STORED\r\n");
      assertThat(client.told()).isEqualTo("STORED\r\n");
    }
  }

  /** Only the server that has the key decides whether it is refused. */
  @Test
  void shouldSendSuchAKeyToMemcachedBesideAnotherServer() {
    try (ScriptedPools pools =
        new ScriptedPools("{match: {prefix: b}, pool: own}, {pool: proxy}", "own", "proxy")) {
      SocketlessServer own = pools.server("own");
      SocketlessServer proxy = pools.server("proxy", "0.5.0");
      SocketlessClient client = pools.client();
      client.sends("get a b\rc\r\n");
      assertThat(proxy.asked()).isEqualTo("get a\r\n");
      assertThat(own.asked()).isEqualTo("get b\rc\r\n");
      proxy.answers("END\r\n");
      own.answers("END\r\n");
      assertThat(client.told()).isEqualTo("END\r\n");
      client.sends("get a\rc b\r\n");
      assertThat(client.told()).isEqualTo("ERROR\r\n");
      assertThat(proxy.asked() + own.asked()).isEmpty();
    }
  }

  /** What such a server gets is a set. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1.5.22 | dialect: text",
        "1.6.9  | 'compression: {algorithm: lz4, above: 1KiB}'",
        "3.0.3  | dialect: text"
      })
  void shouldStoreTheValueOfAnMsThatIsBridgedToAServerThatDoesNotKnowIt(
      String version, String keys) {
    try (ScriptedPools pools = poolsOf(version, keys)) {
      SocketlessServer own = pools.server("own");
      SocketlessClient client = pools.client();
      client.sends("ms k 9 T7\r\nflush_all\r\nmn\r\n");
      assertThat(own.asked()).isEqualTo("set k 0 7 9\r\nflush_all\r\n");
      own.answers("STORED\r\n");
      assertThat(client.told()).isEqualTo("HD\r\nMN\r\n");
      client.sends("ms k 9\r\nflush");
      client.sends("_all\r\nmn\r\n");
      assertThat(own.asked()).isEqualTo("set k 0 0 9\r\nflush_all\r\n");
      own.answers("STORED\r\n");
      assertThat(client.told()).isEqualTo("HD\r\nMN\r\n");
      client.sends("ms k 9 I\r\nflush_all\r\nmn\r\n");
      assertThat(client.told()).startsWith("CLIENT_ERROR unsupported: ").endsWith("\r\nMN\r\n");
      assertThat(own.asked()).isEmpty();
    }
  }
}
