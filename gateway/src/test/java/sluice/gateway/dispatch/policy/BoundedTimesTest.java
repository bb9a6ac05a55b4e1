package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bounds of times to live, in what servers are sent. */
class BoundedTimesTest {
  private final ScriptedPools pools =
      new ScriptedPools("{pool: own, ttl: {min: 10s, max: 60s}}", "own");
  private final SocketlessServer own = pools.server("own");
  private final SocketlessClient client = pools.client();

  @AfterEach
  void close() {
    pools.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "set k 0 0 1\\r\\nv\\r\\n        | set k 0 60 1\\r\\nv\\r\\n | STORED\\r\\n",
        "set k 0 5 1\\r\\nv\\r\\n        | set k 0 10 1\\r\\nv\\r\\n | STORED\\r\\n",
        "set k 0 30 1\\r\\nv\\r\\n       | set k 0 30 1\\r\\nv\\r\\n | STORED\\r\\n",
        "set k 0 -1 1\\r\\nv\\r\\n       | set k 0 -1 1\\r\\nv\\r\\n | STORED\\r\\n",
        "add k 0 900 1\\r\\nv\\r\\n      | add k 0 60 1\\r\\nv\\r\\n | NOT_STORED\\r\\n",
        "append k 0 900 1\\r\\nv\\r\\n   | append k 0 900 1\\r\\nv\\r\\n | STORED\\r\\n",
        "touch k 900\\r\\n               | touch k 60\\r\\n           | TOUCHED\\r\\n",
        "get k\\r\\n                     | get k\\r\\n                | END\\r\\n",
      })
  void shouldBoundWhatIsAskedFor(String asked, String sent, String reply) {
    client.sends(asked.translateEscapes());
    assertThat(own.asked()).isEqualTo(sent.translateEscapes());
    own.answers(reply.translateEscapes());
    assertThat(client.told()).isEqualTo(reply.translateEscapes());
  }

  @Test
  void shouldBoundMetasTimes() {
    client.sends("ms k 1 T900\r\nv\r\n");
    String asked = own.asked();
    String opaque = SocketlessServer.opaque(asked);
    assertThat(asked).isEqualTo("ms k 1 T60" + opaque + "\r\nv\r\n");
    own.answers("HD" + opaque + "\r\n");
    assertThat(client.told()).isEqualTo("HD\r\n");
  }

  @Test
  void shouldFailWhatIsNotAnsweredAndDropItsLateReply() {
    client.sends("set k 0 0 1\r\nv\r\n");
    pools.pass(510);
    assertThat(client.told()).isEqualTo("SERVER_ERROR server own:1 timed out\r\n");
    client.sends("get k\r\n");
    own.answersLate("STORED\r\n");
    assertThat(client.told()).isEmpty();
    own.answers(found("k", "v"));
    assertThat(client.told()).isEqualTo(found("k", "v"));
  }

  @Test
  void shouldFailAtOnceWhileTheServerIsDown() {
    own.goesDown();
    client.sends("set k 0 0 1\r\nv\r\n");
    assertThat(client.told())
        .isEqualTo("SERVER_ERROR server own:1 is unreachable: connection refused\r\n");
  }

  @Test
  void shouldLeaveNothingOfAClientThatHasGoneAndNoNeighbourWithout() {
    SocketlessClient neighbour = pools.client();
    pools.repeat(
        () -> {
          SocketlessClient leaving = pools.client();
          leaving.sends("set k 0 0 1\r\nv\r\nset k 0 0 5\r\nab");
          neighbour.sends("get n\r\n");
          leaving.leaves();
          assertThat(own.asked()).isEqualTo("set k 0 60 1\r\nv\r\nget n\r\n");
          own.answers("STORED\r\n" + found("n", "1"));
          assertThat(neighbour.told()).isEqualTo(found("n", "1"));
          pools.pass(5);
        });
  }
}
