package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Keys that are counted for the rule that decides them: each once, however a read goes on. */
class RuleMatchesTest {
  private static long matches(ScriptedPools pools, int rule) {
    return pools.metrics().rule("cache", rule).matches();
  }

  private static void answersAll(ScriptedPools pools) {
    SocketlessServer server = pools.server("own");
    for (String asked = server.asked(); !asked.isEmpty(); asked = server.asked()) {
      server.answers("END\r\n".repeat((int) asked.lines().count()));
      pools.run();
    }
  }

  @Test
  void shouldCountTheKeysOfOneLine() {
    try (ScriptedPools pools = new ScriptedPools("{pool: own}", "own")) {
      SocketlessClient client = pools.client();
      client.sends("get a\r\n");
      answersAll(pools);
      assertThat(client.told()).isEqualTo("END\r\n");
      assertThat(matches(pools, 0)).isEqualTo(1);
      client.sends("get a b c\r\n");
      answersAll(pools);
      assertThat(client.told()).isEqualTo("END\r\n");
      assertThat(matches(pools, 0)).isEqualTo(4);
    }
  }

  @Test
  void shouldCountTheKeysOfALongLine() {
    String keys = IntStream.range(0, 5000).mapToObj(i -> " k" + i).collect(Collectors.joining());
    try (ScriptedPools pools = new ScriptedPools("{pool: own}", "own")) {
      SocketlessClient client = pools.client();
      client.sends("get" + keys + "\r\n");
      answersAll(pools);
      assertThat(client.told()).isEqualTo("END\r\n");
      assertThat(matches(pools, 0)).isEqualTo(5000);
    }
  }

  @Test
  void shouldCountTheKeysOfALineThatWaitsForItsServer() {
    try (ScriptedPools pools = new ScriptedPools("{pool: own}", "own")) {
      pools.server("own").ignoresConnections();
      SocketlessClient client = pools.client();
      client.sends("get a b c\r\n");
      assertThat(client.told()).isEmpty();
      pools.server("own").comesBack();
      pools.pass(20_000);
      assertThat(client.told()).isNotEmpty();
      assertThat(matches(pools, 0)).isEqualTo(3);
    }
  }

  @Test
  void shouldCountTheSameIfAnotherRuleHasALimit() {
    String rules = "{match: {prefix: x}, pool: own, limit: {rate: 1, burst: 2}}, {pool: own}";
    try (ScriptedPools pools = new ScriptedPools(rules, "own")) {
      SocketlessClient client = pools.client();
      client.sends("get a b c\r\nget x1 x2\r\n");
      answersAll(pools);
      assertThat(client.told()).isEqualTo("END\r\nEND\r\n");
      assertThat(matches(pools, 0)).isEqualTo(2);
      assertThat(matches(pools, 1)).isEqualTo(3);
      client.sends("get x1 x2 a\r\n");
      assertThat(client.told()).startsWith("SERVER_ERROR over the limit");
      assertThat(matches(pools, 0)).isEqualTo(4);
      assertThat(matches(pools, 1)).isEqualTo(4);
    }
  }

  @Test
  void shouldCountTheKeysOfALineThatOneRuleRejects() {
    String rules = "{match: {prefix: x}, reject: no}, {pool: own}";
    try (ScriptedPools pools = new ScriptedPools(rules, "own")) {
      SocketlessClient client = pools.client();
      client.sends("get x1 x2 x3\r\nget a x1 b\r\n");
      assertThat(client.told()).isEqualTo("SERVER_ERROR no\r\nSERVER_ERROR no\r\n");
      assertThat(matches(pools, 0)).isEqualTo(4);
      assertThat(matches(pools, 1)).isEqualTo(2);
    }
  }
}
