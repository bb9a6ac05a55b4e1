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

  /** The former server is still there: it neither wakes the client nor refuses its request. */
  @Test
  void shouldNotBeAwaitedByARequestThatAReloadMovesElsewhere() {
    warmUp();
    client.sends("get b\r\n");
    pools.reload("{match: {prefix: z}, pool: late}, {pool: well}", "well", "late" + LATE);
    pools.pass(WAIT_MILLIS - 20); // clients are looked at four times a second
    assertThat(client.told()).isEmpty();
    assertThat(well.asked()).isEqualTo("get b\r\n");
    pools.pass(40);
    assertThat(client.told()).isEmpty();
    well.answers(found("b", "moved"));
    assertThat(client.told()).isEqualTo(found("b", "moved"));
  }

  /** The former server, which has less time, is still being connected to. */
  @Test
  void shouldWaitAsLongAsItsNewServerMayTakeAfterAReload() {
    warmUp();
    pools.server("patient").ignoresConnections();
    client.sends("get b\r\n");
    pools.reload(
        "{match: {prefix: z}, pool: late}, {pool: patient}",
        "late" + LATE,
        "patient: queueTimeout: 1s, connections: {connectTimeout: 1m, probeAfter: 2m}");
    pools.pass(WAIT_MILLIS + 100);
    assertThat(client.told()).isEmpty();
    pools.pass(700);
    assertThat(client.told()).isEqualTo("SERVER_ERROR server patient:1 was not ready in time\r\n");
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

  /**
   * A request waits for its server, then for an earlier request, and then for the server again,
   * which was silent meanwhile. The second wait is a new one.
   */
  @Test
  void shouldWaitAnewBehindAnEarlierRequest() {
    ScriptedPools silences =
        new ScriptedPools(
            "{match: {prefix: b}, pool: silent}, {match: {prefix: c}, pool: slow}, {pool: well}",
            "well",
            "slow",
            "silent: queueTimeout: 300ms, connections: {probeAfter: 50ms}");
    SocketlessServer silent = silences.server("silent");
    silent.leavesChecks();
    SocketlessClient reader = silences.client();
    reader.sends("get b\r\n");
    silent.answers("END\r\n");
    assertThat(reader.told()).isEqualTo("END\r\n");
    reader.sends("get a c\r\n");
    silences.server("well").answers("END\r\n");
    silences.pass(100);
    silent.asked();

    reader.sends("get b\r\n");
    assertThat(silent.asked()).as("a check whether it is there").isEqualTo("version\r\n");
    silent.closesConnections();
    silences.pass(350);
    silences.server("slow").answers("END\r\n");
    assertThat(reader.told()).isEqualTo("END\r\n");
    assertThat(silent.asked()).as("another check").isEqualTo("version\r\n");
    silences.pass(30);
    assertThat(reader.told()).isEmpty();
    silent.answers("VERSION 1.6.45\r\n");
    silences.run();
    assertThat(silent.asked()).isEqualTo("get b\r\n");
    silent.answers(found("b", "v"));
    assertThat(reader.told()).isEqualTo(found("b", "v"));
    silences.close();
  }

  /** Nothing looks after the server any more, and the reason is an old one. */
  @Test
  void shouldTryAServerAgainThatAReloadHasRemoved() {
    String rule = "{match: {prefix: a}, pool: other}, {pool: p}";
    String again = "p: connections: {probeAfter: 50ms}";
    ScriptedPools reloaded = new ScriptedPools(rule, again, "other");
    SocketlessServer server = reloaded.server("p");
    SocketlessClient inside = reloaded.client();
    server.goesDown();
    inside.sends("get k\r\n");
    assertThat(inside.told()).startsWith("SERVER_ERROR server p:1 is unreachable");
    inside.sends("get ");
    reloaded.reload(rule, again + ", queueTimeout: 300ms", "other");
    server.comesBack();
    reloaded.pass(200);
    server.asked();
    inside.sends("k\r\n");
    assertThat(server.asked()).isEqualTo("get k\r\n");
    server.answersLate(found("k", "v")); // the new pool has connected, too
    assertThat(inside.told()).isEqualTo(found("k", "v"));
    reloaded.close();
  }

  /** Its host has vanished for a while, and does not know the connection any more. */
  @Test
  void shouldUseANewConnectionToAServerThatAReloadHasRemoved() {
    String rule = "{match: {prefix: a}, pool: other}, {pool: p}";
    String silent = "p: queueTimeout: 400ms, connections: {probeAfter: 50ms}";
    ScriptedPools reloaded = new ScriptedPools(rule, silent, "other");
    SocketlessServer server = reloaded.server("p");
    server.leavesChecks();
    SocketlessClient inside = reloaded.client();
    inside.sends("get k\r\n");
    server.answers("END\r\n");
    assertThat(inside.told()).isEqualTo("END\r\n");
    reloaded.pass(100);
    inside.sends("get ");
    server.asked();
    reloaded.reload(rule, silent.replace("400ms", "500ms"), "other");
    reloaded.removeFormerPools();
    inside.sends("k\r\n");
    assertThat(server.asked()).as("a check whether it is there").isEqualTo("version\r\n");
    reloaded.pass(150);
    assertThat(server.asked()).isEqualTo("get k\r\n");
    server.answers(found("k", "v"));
    assertThat(inside.told()).isEqualTo(found("k", "v"));
    reloaded.close();
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

  // --- a server that takes a large value slowly -------------------------------------------------

  private static final String VALUE = "v".repeat(400_000);
  private static final int FIRST = 300_000;

  /** A client sends most of a value, of which the server takes nothing yet. */
  private static SocketlessClient writerOf(ScriptedPools slow) {
    SocketlessClient writer = slow.client();
    slow.server("slow").takesOnly(SocketlessServer.PROBE_LENGTH); // of the exclusive connection
    writer.sends("set k 0 0 " + VALUE.length() + "\r\n" + VALUE.substring(0, FIRST));
    writer.sends(VALUE.substring(FIRST, FIRST + 1_000)); // waits until there is room
    return writer;
  }

  /** Its socket is full all the time, and takes some. */
  @Test
  void shouldGetALargeValueAsSlowlyAsItTakesIt() {
    try (ScriptedPools slow = new ScriptedPools("{pool: slow}", "slow: queueTimeout: 300ms")) {
      SocketlessServer server = slow.server("slow");
      SocketlessClient writer = writerOf(slow);
      for (int i = 0; i < 5; i++) {
        slow.pass(200);
        server.takesOnly(10_000);
      }
      server.takesAll();
      writer.sends(VALUE.substring(FIRST + 1_000) + "\r\n");
      assertThat(server.asked()).isEqualTo("set k 0 0 400000\r\n" + VALUE + "\r\n");
      server.answers("STORED\r\n");
      assertThat(writer.told()).isEqualTo("STORED\r\n");
    }
  }

  @Test
  void shouldFailALargeValueOfWhichItTakesNoMore() {
    try (ScriptedPools slow = new ScriptedPools("{pool: slow}", "slow: queueTimeout: 300ms")) {
      SocketlessClient writer = writerOf(slow);
      slow.pass(200);
      slow.server("slow").takesOnly(10_000);
      slow.pass(650); // twice the time, and a few of the steps in which a loop looks for it
      writer.sends(VALUE.substring(FIRST + 1_000) + "\r\n");
      assertThat(writer.told()).isEqualTo("SERVER_ERROR server slow:1 was not ready in time\r\n");
      slow.server("slow").takesAll();
    }
  }

  // --- a loop that is late itself ---------------------------------------------------------------

  /** The reply has come meanwhile, and waits in the socket. */
  @Test
  void shouldReadBeforeARequestTimesOut() {
    client.sends("get a\r\n");
    assertThat(well.asked()).isEqualTo("get a\r\n");
    pools.standsStill(1_200); // more than two timeouts
    well.answers(found("a", "1"));
    assertThat(client.told()).isEqualTo(found("a", "1"));
  }

  @Test
  void shouldTimeOutARequestThatIsNotAnsweredThenEither() {
    client.sends("get a\r\n");
    pools.standsStill(1_200);
    pools.pass(150);
    assertThat(client.told()).startsWith("SERVER_ERROR server ");
  }

  @Test
  void shouldTimeOutARequestOnALoopThatIsAlwaysLate() {
    client.sends("get a\r\n");
    pools.standsStill(1_200);
    pools.standsStill(300);
    assertThat(client.told()).startsWith("SERVER_ERROR server ");
  }
}
