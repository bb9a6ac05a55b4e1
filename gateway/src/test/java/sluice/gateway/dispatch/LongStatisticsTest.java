package sluice.gateway.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import sluice.gateway.dispatch.policy.ScriptedPools;
import sluice.gateway.dispatch.policy.SocketlessClient;
import sluice.gateway.dispatch.policy.SocketlessServer;

/** Statistics of several servers, which a gateway holds until all have come. */
class LongStatisticsTest {
  private static final int KIB = 1024;
  private static final String STATS = "stats\r\n";
  private static final String BINARY_STATS =
      "\u0080\u0010" + "\0".repeat(10) + "\0\0\0\7" + "\0".repeat(8);
  private static final String WHY = "server s0:1 sent a reply that is too long";
  private static final String TOO_LONG = "SERVER_ERROR " + WHY + "\r\n";

  /** Statistics of about this many bytes. */
  private static String lines(String name, int bytes) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; all.length() < bytes; i++) {
      all.append("STAT ").append(name).append(i).append(" 1\r\n");
    }
    return all.toString();
  }

  /** A pool with these servers: {@code s0}, {@code s1} and so on. */
  private static ScriptedPools pools(int servers, String more) {
    String list =
        IntStream.range(0, servers)
            .mapToObj(i -> "\"s" + i + ":1\"")
            .collect(Collectors.joining(", "));
    return new ScriptedPools("{pool: own}", "own: servers: [" + list + "]" + more);
  }

  @Test
  void shouldAddUpLinesWhereverTheyAreCut() {
    try (ScriptedPools pools = pools(2, "")) {
      SocketlessClient client = pools.client();
      client.sends(STATS);
      assertThat(pools.server("s0").asked()).isEqualTo(STATS);
      for (char each : "STAT x 1\r\nSTAT y b c\r\nEND\r\n".toCharArray()) {
        pools.server("s0").answers(String.valueOf(each));
      }
      pools.server("s1").answers("STAT y d\r\nSTAT x 41\r\nSTAT z 5\r\nEND\r\n");
      assertThat(client.told()).isEqualTo("STAT x 42\r\nSTAT y b c\r\nSTAT z 5\r\nEND\r\n");
    }
  }

  @Test
  void shouldHoldNoReplyWithoutAnEnd() {
    try (ScriptedPools pools = pools(2, "")) {
      SocketlessClient client = pools.client();
      SocketlessServer endless = pools.server("s0");
      client.sends(STATS);
      pools.server("s1").answers("STAT x 1\r\nEND\r\n");
      endless.answers(lines("a", 600 * KIB));
      assertThat(client.told()).isEmpty();
      endless.answers(lines("b", 600 * KIB));
      assertThat(client.told()).isEqualTo(TOO_LONG);
      endless.answers(lines("c", 600 * KIB));
      pools.pass(10);
      assertThat(pools.buffered()).isLessThan(600 * KIB);

      endless.answers("END\r\n");
      client.sends(STATS);
      endless.answers("STAT x 1\r\nEND\r\n");
      pools.server("s1").answers("STAT x 1\r\nEND\r\n");
      assertThat(client.told()).isEqualTo("STAT x 2\r\nEND\r\n");
    }
  }

  @Test
  void shouldRefuseALongReplyThatComesAtOnce() {
    try (ScriptedPools pools = pools(2, "")) {
      SocketlessClient client = pools.client();
      client.sends(STATS);
      pools.server("s0").answers(lines("a", 1100 * KIB) + "END\r\n");
      pools.server("s1").answers("STAT x 1\r\nEND\r\n");
      assertThat(client.told()).isEqualTo(TOO_LONG);
    }
  }

  /** Each line is an object with two texts, and several such replies would fill a small heap. */
  @Test
  void shouldCombineNoMoreThanOneServerMaySay() {
    try (ScriptedPools pools = pools(2, "")) {
      SocketlessClient client = pools.client();
      client.sends(STATS);
      pools.server("s0").answers(lines("a", 700 * KIB) + "END\r\n");
      pools.server("s1").answers(lines("b", 700 * KIB) + "END\r\n");
      assertThat(client.told()).isEqualTo("SERVER_ERROR the servers' statistics are too long\r\n");
    }
  }

  @Test
  void shouldHoldNoMoreThanSixteenMebibytesOfAll() {
    try (ScriptedPools pools = pools(20, "")) {
      SocketlessClient client = pools.client();
      client.sends(STATS);
      String reply = lines("a".repeat(100), 900 * KIB) + "END\r\n";
      for (int i = 0; i < 20; i++) {
        assertThat(client.told()).isEmpty();
        pools.server("s" + i).answers(reply);
      }
      assertThat(client.told()).isEqualTo(TOO_LONG.replace("s0", "s18"));
    }
  }

  /** Lines that become packets do not arrive in that form. */
  @Test
  void shouldHoldNoReplyOfABridgedServerWithoutAnEnd() {
    try (ScriptedPools pools = pools(2, ", dialect: text")) {
      SocketlessClient client = pools.client();
      client.sends(BINARY_STATS);
      assertThat(pools.server("s0").asked()).isEqualTo(STATS);
      pools.server("s1").answers("STAT x 1\r\nEND\r\n");
      for (int i = 0; i < 10; i++) {
        pools.server("s0").answers(lines("a", 120 * KIB));
      }
      String told = client.told();
      assertThat(told).startsWith("\u0081\u0010").endsWith(WHY);
      assertThat((int) told.charAt(7)).as("its status").isEqualTo(0x86);
      pools.server("s0").answers("END\r\n");
    }
  }

  /** With a buffer for each packet, they would take many times what is counted. */
  @Test
  void shouldHoldShortLinesOfABridgedServerInFewBuffers() {
    try (ScriptedPools pools = pools(2, ", dialect: text")) {
      SocketlessClient client = pools.client();
      client.sends(BINARY_STATS);
      assertThat(pools.server("s0").asked()).isEqualTo(STATS);
      pools.server("s0").answers(lines("a", 200 * KIB));
      assertThat(client.told()).isEmpty();
      pools.pass(10);
      assertThat(pools.buffered()).isGreaterThan(300 * KIB);
      assertThat(pools.allocated()).isLessThan(4 * pools.buffered());
      pools.server("s0").answers("END\r\n");
      pools.server("s1").answers("STAT a0 41\r\nEND\r\n");
      assertThat(client.told()).contains("a042").contains("a101");
    }
  }
}
