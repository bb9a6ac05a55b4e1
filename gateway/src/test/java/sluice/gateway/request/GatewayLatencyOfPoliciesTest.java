package sluice.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;
import static sluice.gateway.dispatch.policy.SocketlessServer.opaque;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.gateway.dispatch.policy.ScriptedPools;
import sluice.gateway.dispatch.policy.SocketlessClient;
import sluice.gateway.dispatch.policy.SocketlessServer;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;

/**
 * What counts as gateway latency, and as a timeout, for requests that several servers answer, or
 * one server several times.
 */
class GatewayLatencyOfPoliciesTest {
  private static final String SET = "set k 0 0 1\r\nv\r\n";

  /**
   * All of a request's time, and none of it the gateway's: in this test, only servers take time.
   */
  private static void tookServers(ScriptedPools pools, int millis) {
    assertThat(pools.metric("sluice_request_time_seconds_sum")).isEqualTo(millis / 1000.0);
    assertThat(pools.metric("sluice_own_time_seconds_sum")).isZero();
  }

  private static long timeouts(ScriptedPools pools, Command command) {
    return pools.metrics().listener("cache").requests(command, Outcome.TIMEOUT);
  }

  @Test
  void shouldNotCountTheTimeOfReplicas() {
    try (ScriptedPools pools =
        new ScriptedPools("{replicate: {pools: [own, other]}}", "own", "other")) {
      SocketlessClient client = pools.client();
      client.sends(SET);
      pools.pass(20);
      pools.server("own").answers("STORED\r\n");
      pools.pass(10);
      pools.server("other").answers("STORED\r\n");
      assertThat(client.told()).isEqualTo("STORED\r\n");
      tookServers(pools, 30);
    }
  }

  @Test
  void shouldNotCountTheTimeOfAPoolWithAShadow() {
    try (ScriptedPools pools =
        new ScriptedPools("{pool: own, shadow: {pool: other}}", "own", "other")) {
      SocketlessClient client = pools.client();
      client.sends(SET);
      pools.server("other").answers("STORED\r\n");
      pools.pass(20);
      pools.server("own").answers("STORED\r\n");
      assertThat(client.told()).isEqualTo("STORED\r\n");
      tookServers(pools, 20);
    }
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void shouldNotCountTheTimeOfAHedgedRead(boolean other) {
    try (ScriptedPools pools =
        new ScriptedPools("{pool: own, hedge: {to: other, after: 10ms}}", "own", "other")) {
      SocketlessClient client = pools.client();
      client.sends("get k\r\n");
      pools.pass(30);
      pools.server(other ? "other" : "own").answers(found("k", "v"));
      assertThat(client.told()).isEqualTo(found("k", "v"));
      tookServers(pools, 30);
    }
  }

  @Test
  void shouldNotCountTheTimeOfTheStepsThatFillAMiss() {
    try (ScriptedPools pools =
        new ScriptedPools("{warmUp: {cold: own, warm: other}}", "own", "other")) {
      SocketlessServer cold = pools.server("own");
      SocketlessServer warm = pools.server("other");
      SocketlessClient client = pools.client();
      client.sends("get k\r\n");
      pools.pass(10);
      cold.asked();
      cold.answers("END\r\n");
      pools.run();
      pools.pass(10);
      warm.answers("VA 1 t60 f5" + opaque(warm.asked()) + "\r\nw\r\n");
      pools.run();
      pools.pass(10);
      cold.answers("HD" + opaque(cold.asked()) + "\r\n");
      pools.run();
      pools.pass(10);
      cold.answers(found("k", "w"));
      assertThat(client.told()).isEqualTo(found("k", "w"));
      tookServers(pools, 40);
    }
  }

  @Test
  void shouldNotCountTheTimeOfTheServersOfSeveralKeys() {
    try (ScriptedPools pools =
        new ScriptedPools("{match: {prefix: o}, pool: other}, {pool: own}", "own", "other")) {
      SocketlessClient client = pools.client();
      client.sends("get a o\r\n");
      pools.pass(20);
      pools.server("own").answers("END\r\n");
      pools.pass(10);
      pools.server("other").answers("END\r\n");
      assertThat(client.told()).isEqualTo("END\r\n");
      tookServers(pools, 30);
    }
  }

  /** Keys that do not fit into one round, each of which takes servers time. */
  @Test
  void shouldNotCountTheTimeOfSeveralRoundsOfOneRead() {
    try (ScriptedPools pools =
        new ScriptedPools("{pool: own, hedge: {to: other, after: 1s}}", "own", "other")) {
      SocketlessClient client = pools.client();
      SocketlessServer own = pools.server("own");
      client.sends("get" + " k".repeat(300) + "\r\n");
      pools.pass(20);
      int first = (int) own.asked().lines().count();
      assertThat(first).isBetween(1, 299);
      own.answers("END\r\n".repeat(first));
      pools.run();
      pools.pass(10);
      assertThat(own.asked()).isEqualTo("get k\r\n".repeat(300 - first));
      own.answers("END\r\n".repeat(300 - first));
      assertThat(client.told()).isEqualTo("END\r\n");
      tookServers(pools, 30);
    }
  }

  @Test
  void shouldNotCountTheTimeOfAHeadAndItsChunks() {
    String rules = "{match: {prefix: o}, pool: other}, {pool: own, split: 1KiB}";
    try (ScriptedPools pools = new ScriptedPools(rules, "own", "other")) {
      SocketlessClient client = pools.client();
      SocketlessServer own = pools.server("own");
      client.sends("set k 0 0 1500\r\n" + "v".repeat(1500) + "\r\n");
      String[] stored = own.asked().split("\r\n");
      pools.pass(10);
      own.answers("STORED\r\nSTORED\r\n");
      pools.run();
      pools.pass(10);
      String[] head = own.asked().split("\r\n", 2);
      own.answers("STORED\r\n");
      assertThat(client.told()).isEqualTo("STORED\r\n");
      tookServers(pools, 20);

      client.sends("get o\r\nget k\r\n");
      pools.pass(20);
      own.answers(read(head[0], " 7\r\n" + head[1]) + "END\r\n");
      pools.pass(15); // the head waits for its turn
      pools.server("other").answers("END\r\n");
      pools.run();
      pools.pass(30);
      own.answers(read(stored[0], "\r\n" + stored[1] + "\r\n") + "END\r\n");
      own.answers(read(stored[2], "\r\n" + stored[3] + "\r\n") + "END\r\n");
      assertThat(client.told()).isEqualTo("END\r\n" + found("k", "v".repeat(1500)));
      assertThat(pools.metric("sluice_request_time_seconds_sum")).isEqualTo(0.12);
      assertThat(pools.metric("sluice_own_time_seconds_sum")).isEqualTo(0.015);
    }
  }

  /** The reply to a read of an item that was stored by this line, up to its end. */
  private static String read(String set, String rest) {
    String[] line = set.split(" ");
    return "VALUE " + line[1] + " " + line[2] + " " + line[4] + rest;
  }

  @Test
  void shouldNotCountTheTimeOfABroadcast() {
    try (ScriptedPools pools =
        new ScriptedPools("{match: {prefix: o}, pool: other}, {pool: own}", "own", "other")) {
      SocketlessClient client = pools.client();
      client.sends("flush_all\r\n");
      pools.pass(20);
      pools.server("own").answers("OK\r\n");
      pools.pass(10);
      pools.server("other").answers("OK\r\n");
      assertThat(client.told()).isEqualTo("OK\r\n");
      tookServers(pools, 30);
    }
  }

  @Test
  void shouldNotCountTheTimeOfAServerThatDoesNotAnswer() {
    try (ScriptedPools pools = new ScriptedPools("{pool: own}", "own")) {
      SocketlessClient client = pools.client();
      client.sends("get k\r\n");
      pools.pass(510);
      assertThat(client.told()).isEqualTo("SERVER_ERROR server own:1 timed out\r\n");
      assertThat(pools.metric("sluice_own_time_seconds_sum")).isZero();
      assertThat(timeouts(pools, Command.GET)).isEqualTo(1);
    }
  }

  @Test
  void shouldNotCountTheTimeOfAServerThatIsLost() {
    try (ScriptedPools pools = new ScriptedPools("{pool: own}", "own")) {
      SocketlessClient client = pools.client();
      client.sends("get k\r\n");
      pools.pass(50);
      pools.server("own").goesDown();
      assertThat(client.told()).isEqualTo("SERVER_ERROR server own:1 closed the connection\r\n");
      tookServers(pools, 50);
      assertThat(timeouts(pools, Command.GET)).isZero();
    }
  }

  /** The second server's time adds to that of the first, which was lost. */
  @Test
  void shouldNotCountTheTimeOfTheServerThatIsLostBeforeARetry() {
    try (ScriptedPools pools = new ScriptedPools("{pool: own}", "own: retries: {max: 1}")) {
      SocketlessClient client = pools.client();
      SocketlessServer own = pools.server("own");
      client.sends("get k\r\n");
      pools.pass(50);
      assertThat(own.asked()).isEqualTo("get k\r\n");
      own.closesConnections();
      pools.run();
      assertThat(own.asked()).isEqualTo("get k\r\n");
      pools.pass(20);
      own.answers(found("k", "v"));
      assertThat(client.told()).isEqualTo(found("k", "v"));
      tookServers(pools, 70);
    }
  }

  /** The first pool decides which client writes an item that is stale in the second. */
  @Test
  void shouldNotCountTheTimeOfReplicasThatAreAskedOneAfterTheOther() {
    try (ScriptedPools pools =
        new ScriptedPools("{replicate: {pools: [own, other], reads: nearest}}", "own", "other")) {
      SocketlessClient client = pools.client();
      SocketlessServer own = pools.server("own");
      SocketlessServer other = pools.server("other");
      String asked = "";
      for (int i = 0; i < 10 && asked.isEmpty(); i++) {
        client.sends("mg k v\r\n");
        pools.pass(10);
        asked = other.asked();
        if (asked.isEmpty()) { // the first is slow, so the second is the nearest soon
          own.answers("EN" + opaque(own.asked()) + "\r\n");
          assertThat(client.told()).isEqualTo("EN\r\n");
        }
      }
      other.answers("VA 1 X W" + opaque(asked) + "\r\nv\r\n");
      pools.run();
      pools.pass(20);
      own.answers("VA 1 X W" + opaque(own.asked()) + "\r\nv\r\n");
      assertThat(client.told()).startsWith("VA 1 ");
      assertThat(pools.metric("sluice_own_time_seconds_sum")).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{replicate: {pools: [own, other]}}                           | get k",
        "{replicate: {pools: [own, other]}}                           | touch k 0",
        "{pool: own, shadow: {pool: other}}                           | get k",
        "{pool: own, hedge: {to: other, after: 10ms}}                 | get k",
        "{warmUp: {cold: own, warm: other}}                           | get k",
        "{pool: own, split: 1KiB}                                     | touch k 0",
        "{match: {prefix: o}, pool: other}, {pool: own}               | get k o",
        "{match: {prefix: o}, pool: other}, {pool: own}               | flush_all"
      })
  void shouldCountATimeoutOfAnyOfTheServers(String rule, String request) {
    try (ScriptedPools pools = new ScriptedPools(rule, "own", "other")) {
      SocketlessClient client = pools.client();
      client.sends(request + "\r\n");
      pools.pass(1500);
      assertThat(client.told()).matches("SERVER_ERROR server (own|other):1 timed out\r\n");
      Command command = Command.valueOf(request.replaceFirst(" .*", "").toUpperCase(Locale.ROOT));
      assertThat(timeouts(pools, command)).isEqualTo(1);
      assertThat(pools.metric("sluice_own_time_seconds_sum")).isZero();
    }
  }
}
