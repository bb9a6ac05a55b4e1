package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that are stored compressed, and come back as they were. */
class CompressedPoolTest {
  private static final String VALUE = "compressible ".repeat(400);
  private static final Pattern STORED =
      Pattern.compile("set k ([0-9]+) 0 ([0-9]+)\r\n(.*)\r\n", Pattern.DOTALL);
  private static final String COMPRESSED = "compression: {algorithm: lz4, above: 1KiB}";

  private final ScriptedPools pools = new ScriptedPools("{pool: own}", "own: " + COMPRESSED);
  private final SocketlessServer own = pools.server("own");
  private final SocketlessClient client = pools.client();

  @AfterEach
  void close() {
    pools.close();
  }

  private static String set(String key, String value) {
    return "set " + key + " 0 0 " + value.length() + "\r\n" + value + "\r\n";
  }

  /** A get's reply with what a set has stored. */
  private static String reply(String set) {
    Matcher stored = STORED.matcher(set);
    assertThat(stored.matches()).as(set).isTrue();
    return "VALUE k "
        + stored.group(1)
        + " "
        + stored.group(2)
        + "\r\n"
        + stored.group(3)
        + "\r\nEND\r\n";
  }

  private String stores() {
    client.sends(set("k", VALUE));
    String asked = own.asked();
    own.answers("STORED\r\n");
    assertThat(client.told()).isEqualTo("STORED\r\n");
    return asked;
  }

  @Test
  void shouldStoreAValueShorterAndGiveItBackAsItWas() {
    String stored = stores();
    assertThat(stored).startsWith("set k 65536 0 ").hasSizeLessThan(VALUE.length() / 2);
    client.sends("get k\r\n");
    own.answers(reply(stored));
    assertThat(client.told()).isEqualTo(found("k", VALUE));
  }

  @Test
  void shouldStoreAShortValueAsItIs() {
    client.sends(set("k", "short"));
    assertThat(own.asked()).isEqualTo(set("k", "short"));
    own.answers("STORED\r\n");
    assertThat(client.told()).isEqualTo("STORED\r\n");
  }

  @Test
  void shouldRefuseAValueThatIsDamagedAndNoOther() {
    String stored = reply(stores());
    int middle = stored.length() - 20;
    String damaged =
        stored.substring(0, middle)
            + (char) (stored.charAt(middle) ^ 1)
            + stored.substring(middle + 1);
    client.sends("get k\r\nget k\r\n");
    own.answers(damaged + stored);
    assertThat(client.told())
        .isEqualTo("SERVER_ERROR compressed value is damaged\r\n" + found("k", VALUE));
  }

  @Test
  void shouldFailAReadThatStallsInTheMiddleOfAValue() {
    String stored = reply(stores());
    client.sends("get k\r\n");
    own.answers(stored.substring(0, stored.length() / 2));
    pools.pass(1010);
    assertThat(client.told())
        .isEqualTo("SERVER_ERROR server own:1 stopped in the middle of a reply\r\n");
    client.sends("get k\r\n");
    pools.run();
    own.answers(stored);
    assertThat(client.told()).isEqualTo(found("k", VALUE));
  }

  @Test
  void shouldFailAReadWhoseServerDiesInTheMiddleOfAValue() {
    String stored = reply(stores());
    client.sends("get k\r\n");
    own.answers(stored.substring(0, stored.length() / 2));
    own.closesConnections();
    assertThat(client.told()).isEqualTo("SERVER_ERROR server own:1 closed the connection\r\n");
  }

  /** Flags are known with the value only, so the server sends all of it. */
  @Test
  void shouldHaveFewRequestsInFlightForTheFlagsOfLargeValues() {
    for (int i = 0; i < 40; i++) {
      client.sends("mg k f\r\n");
      own.answers(replies(own.asked(), 100_000));
      assertThat(client.told()).isEqualTo("HD f0\r\n");
    }
    client.sends("mg k f\r\n".repeat(200));
    StringBuilder told = new StringBuilder();
    for (String asked = own.asked(); !asked.isEmpty(); asked = own.asked()) {
      assertThat(asked.split("\r\n")).hasSizeLessThan(60);
      own.answers(replies(asked, 100_000));
      told.append(client.told());
    }
    assertThat(told).hasToString("HD f0\r\n".repeat(200));
  }

  /** The replies to meta requests, each with a value of this length. */
  private static String replies(String asked, int length) {
    return replies(asked, "0", "v".repeat(length));
  }

  /** The replies to meta requests, each with the same flags and value. */
  private static String replies(String asked, String flags, String value) {
    StringBuilder all = new StringBuilder();
    for (String line : asked.split("\r\n")) {
      int opaque = line.indexOf(" O");
      String echoed = opaque < 0 ? "" : line.substring(opaque);
      all.append("VA ").append(value.length()).append(" f").append(flags).append(echoed);
      all.append("\r\n").append(value).append("\r\n");
    }
    return all.toString();
  }

  /** The value, some bits of whose last byte are others. */
  private static String withLastByte(String value, int bits) {
    int last = value.length() - 1;
    return value.substring(0, last) + (char) (value.charAt(last) ^ bits);
  }

  /** The server sends a hundredth of what a value becomes, and the client gets a line. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                                           | mg k v | 1 | SERVER_ERROR compressed value"
            + " is damaged",
        "'values: {replace: [{find: abc, with: d}]}'  | mg k s | 0 | HD s208000"
      })
  void shouldHaveFewRequestsInFlightForWhichLargeValuesAreRestored(
      String keys, String request, int damage, String reply) {
    String pool = "own: " + COMPRESSED + (keys.isEmpty() ? "" : ", " + keys);
    try (ScriptedPools large = new ScriptedPools("{pool: own}", pool)) {
      SocketlessServer server = large.server("own");
      SocketlessClient reader = large.client();
      reader.sends(set("k", "compressible ".repeat(16_000)));
      Matcher stored = STORED.matcher(server.asked());
      assertThat(stored.matches()).isTrue();
      server.answers("STORED\r\n");
      assertThat(reader.told()).isEqualTo("STORED\r\n");
      String value = stored.group(3);
      assertThat(value).hasSizeLessThan(4000);
      String found = withLastByte(value, damage);
      for (int i = 0; i < 40; i++) {
        reader.sends(request + "\r\n");
        server.answers(replies(server.asked(), stored.group(1), found));
        assertThat(reader.told()).isEqualTo(reply + "\r\n");
      }
      reader.sends((request + "\r\n").repeat(200));
      StringBuilder told = new StringBuilder();
      for (String asked = server.asked(); !asked.isEmpty(); asked = server.asked()) {
        assertThat(asked.split("mg k ", -1)).hasSizeLessThan(60);
        server.answers(replies(asked, stored.group(1), found));
        told.append(reader.told());
      }
      assertThat(told).hasToString((reply + "\r\n").repeat(200));
    }
  }

  /** The flags do not depend on the replacement, so no value is restored for them. */
  @Test
  void shouldReadTheFlagsOfADamagedValueThatIsRewritten() {
    String rewriting = "own: " + COMPRESSED + ", values: {replace: [{find: abc, with: d}]}";
    String stored = stores();
    Matcher parts = STORED.matcher(stored);
    assertThat(parts.matches()).isTrue();
    String damaged = withLastByte(parts.group(3), 1);
    try (ScriptedPools rewritten = new ScriptedPools("{pool: own}", rewriting)) {
      SocketlessServer server = rewritten.server("own");
      SocketlessClient reader = rewritten.client();
      reader.sends("mg k f\r\n");
      server.answers(replies(server.asked(), parts.group(1), damaged));
      assertThat(reader.told()).isEqualTo("HD f0\r\n");
      reader.sends("mg k f s\r\n");
      server.answers(replies(server.asked(), parts.group(1), damaged));
      assertThat(reader.told()).isEqualTo("SERVER_ERROR compressed value is damaged\r\n");
    }
  }

  @Test
  void shouldLeaveNothingOfAClientThatHasGoneAndNoNeighbourWithout() {
    String stored = stores();
    SocketlessClient neighbour = pools.client();
    pools.repeat(
        () -> {
          SocketlessClient leaving = pools.client();
          leaving.sends("get k\r\n" + set("k", VALUE) + set("k", VALUE).substring(0, 2000));
          neighbour.sends("get k\r\n");
          own.answers(reply(stored).substring(0, 30));
          leaving.leaves();
          own.answers(reply(stored).substring(30) + "STORED\r\n" + reply(stored));
          assertThat(neighbour.told()).isEqualTo(found("k", VALUE));
          own.asked();
          pools.pass(5);
        });
  }
}
