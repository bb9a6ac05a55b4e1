package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines that the gateway refuses itself: what follows them is read as what it is. */
class RefusedLinesTest {
  private static final String K249 = "k".repeat(249);
  private static final String K251 = "k".repeat(251);

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
}
