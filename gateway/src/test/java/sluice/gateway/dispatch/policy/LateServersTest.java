package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests to several servers that do not all take a connection in time: they wait once. */
class LateServersTest {
  private static final String LATE =
      ": queueTimeout: 300ms, connections: {connectTimeout: 1m, probeAfter: 2m}";

  /** The wait, and one of the small steps in which a loop looks for what is overdue. */
  private static final int WAIT_MILLIS = 310;

  private final ScriptedPools pools =
      new ScriptedPools(
          "{match: {prefix: b}, pool: late}, {match: {prefix: c}, pool: later}, {match: {prefix:"
              + " d}, nearCache: {size: 1MiB, ttl: 1s}, pool: late}, {pool: well}",
          "well",
          "late" + LATE,
          "later" + LATE);
  private final SocketlessServer well = pools.server("well");
  private final SocketlessServer late = pools.server("late");
  private final SocketlessServer later = pools.server("later");
  private final SocketlessClient client = pools.client();

  @AfterEach
  void close() {
    pools.close();
  }

  private void warmUp() {
    client.sends("get warm\r\n");
    well.answers("END\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
    well.asked();
    late.ignoresConnections();
    later.ignoresConnections();
  }

  /** More keys than are requested at once. */
  private static String manyKeys() {
    StringBuilder keys = new StringBuilder();
    IntStream.range(0, 5000).forEach(i -> keys.append(" b").append(i).append(" c").append(i));
    return keys.toString();
  }

  static Stream<String> reads() {
    return Stream.of(
        "get b\r\n",
        "get a b\r\n",
        "get b a\r\n",
        "get a b c\r\n",
        "get c a b\r\n",
        "gets a b\r\n",
        "get d a b\r\n",
        "get a d\r\n",
        "gat 10 a b\r\n",
        "gats 10 a b c\r\n",
        "get" + manyKeys() + "\r\n",
        "gat 10" + manyKeys() + "\r\n");
  }

  @ParameterizedTest
  @MethodSource("reads")
  void shouldWaitOnceForServersOfManyKeys(String read) {
    warmUp();
    client.sends(read);
    pools.pass(WAIT_MILLIS - 20);
    assertThat(client.told()).isEmpty();
    pools.pass(20);
    assertThat(client.told()).startsWith("SERVER_ERROR ").endsWith(" was not ready in time\r\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"verbosity 1\r\n", "flush_all\r\n", "stats\r\n"})
  void shouldWaitOnceForTheServersOfABroadcast(String broadcast) {
    warmUp();
    client.sends(broadcast);
    pools.pass(WAIT_MILLIS - 20);
    assertThat(client.told()).isEmpty();
    pools.pass(20);
    well.answers(broadcast.startsWith("stats") ? "END\r\n" : "OK\r\n");
    assertThat(client.told()).startsWith("SERVER_ERROR ").endsWith(" was not ready in time\r\n");
  }

  /** What one request has waited is no reason not to wait for the next one's server. */
  @Test
  void shouldWaitAnewForTheNextRequest() {
    warmUp();
    client.sends("get a b\r\nget a\r\nget b\r\n");
    pools.pass(WAIT_MILLIS);
    well.answers("END\r\n"); // it is not asked for the read that has failed
    assertThat(client.told()).endsWith(" was not ready in time\r\nEND\r\n");
    pools.pass(WAIT_MILLIS - 40);
    assertThat(client.told()).isEmpty();
    pools.pass(40);
    assertThat(client.told()).endsWith(" was not ready in time\r\n");
  }

  /** The reason is not that of the server that is ready. */
  @Test
  void shouldRequestWhatItsOtherServersHave() {
    ScriptedPools misses =
        new ScriptedPools(
            "{match: {prefix: b}, pool: late}, {pool: well}",
            "well",
            "late" + LATE + ", multiGet: {onFailure: miss}");
    misses.server("late").ignoresConnections();
    SocketlessClient reader = misses.client();
    reader.sends("get a b\r\n");
    misses.pass(WAIT_MILLIS);
    misses.server("well").answers(found("a", "v"));
    assertThat(reader.told()).isEqualTo(found("a", "v"));
    reader.sends("get b a\r\n");
    misses.pass(WAIT_MILLIS);
    misses.server("well").answers(found("a", "w"));
    assertThat(reader.told()).isEqualTo(found("a", "w"));
    misses.close();
  }
}
