package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reads of many keys that have failed before all of their servers have answered. */
class FailedReadsTest {
  private static final int READS = 300;

  /** A key that cannot be sent to a pool whose values are processed. */
  private static final String REFUSED = "z\ry";

  private static final String REFUSAL = "CLIENT_ERROR unsupported: this key in classic text\r\n";

  /** Otherwise a client could have any number of values sent that are then dropped. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "get    | '{pool: own}'",
        "get    | '{pool: own, hedge: {to: other, after: 20ms, budget: 100%}}'",
        "gat 10 | '{replicate: {pools: [own, other]}}'"
      })
  void shouldCountWhatItsServersHaveYetToAnswer(String verb, String rule) {
    try (ScriptedPools pools =
        new ScriptedPools(
            "{match: {prefix: z}, pool: zipped}, {match: {prefix: o}, pool: other}, " + rule,
            "own",
            "other",
            "zipped: compression: {algorithm: lz4, above: 1KiB}")) {
      SocketlessServer own = pools.server("own");
      SocketlessClient client = pools.client();
      client.sends((verb + " a " + REFUSED + "\r\n").repeat(READS));
      String told = client.told();
      int asked = reads(own, verb);
      assertThat(asked).as("reads without an answer").isBetween(1, READS / 2);
      int all = 0;
      while (asked > 0) {
        all += asked;
        answers(own, asked);
        answers(pools.server("other"), reads(pools.server("other"), verb));
        told += client.told();
        asked = reads(own, verb);
      }
      assertThat(all).isEqualTo(READS);
      assertThat(told).isEqualTo(REFUSAL.repeat(READS));
    }
  }

  /** How many reads a server was asked. */
  private static int reads(SocketlessServer server, String verb) {
    String asked = server.asked();
    int reads = (int) asked.lines().count();
    assertThat(asked).isEqualTo((verb + " a\r\n").repeat(reads));
    return reads;
  }

  private static void answers(SocketlessServer server, int reads) {
    if (reads > 0) {
      server.answers("END\r\n".repeat(reads));
    }
  }

  @Test
  void shouldAskNoServerIfAnotherOneIsDown() {
    try (ScriptedPools pools =
        new ScriptedPools("{match: {prefix: b}, pool: down}, {pool: own}", "own", "down")) {
      SocketlessServer own = pools.server("own");
      pools.server("down").goesDown();
      SocketlessClient client = pools.client();
      client.sends("get a\r\nget b\r\n");
      own.answers("END\r\n");
      assertThat(client.told()).matches("END\r\nSERVER_ERROR server down:1 is unreachable.*\r\n");
      assertThat(own.asked()).isEqualTo("get a\r\n");

      for (String read : new String[] {"get a b c\r\n", "gets b a\r\n", "gat 10 a b\r\n"}) {
        client.sends(read);
        assertThat(client.told()).matches("SERVER_ERROR server down:1 is unreachable.*\r\n");
      }
      assertThat(own.asked()).isEmpty();
    }
  }
}
