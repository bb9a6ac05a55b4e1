package sluice.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.gateway.dispatch.policy.ScriptedPools;
import sluice.gateway.dispatch.policy.SocketlessClient;
import sluice.gateway.dispatch.policy.SocketlessServer;

/** The last reply to a client that must leave. */
class LastReplyTest {
  /**
   * Servers are looked at for overdue requests just before clients that leave: the reply is written
   * then, and not flushed.
   */
  @Test
  void shouldReachTheClientBeforeTheEndOfWhatItIsTold() {
    for (int millis = 0; millis < 60; millis += 5) { // each place among the looks at clients
      try (ScriptedPools pools = new ScriptedPools("{pool: own}", "own")) {
        SocketlessServer server = pools.server("own");
        SocketlessClient client = pools.halfClosableClient();
        client.sends("set k 0 0 1\r\nv\r\n");
        assertThat(server.asked()).startsWith("set k ");
        pools.pass(millis);
        pools.drain(100);
        pools.pass(1_000);
        assertThat(client.told()).isEqualTo("SERVER_ERROR server own:1 timed out\r\n");
      }
    }
  }
}
