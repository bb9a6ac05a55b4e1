package sluice.gateway.listen;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.config.model.Credentials;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;

/**
 * A login is compared with all users, of which there may be thousands: an event loop looks at one
 * of a client's, and then turns to its other clients. Clients without a password may send them.
 */
class LoginTurnsTest {
  private static final int MANY = 20;

  private final StoreChannel client = new StoreChannel(new Credentials("alice", "secret"));

  @AfterEach
  void close() {
    client.close();
  }

  @Test
  void shouldLookAtOneLineInEachTurn() {
    client.arrive("set a 0 0 5\r\nalice\r\n" + "set a 0 0 3\r\na b\r\n".repeat(MANY));
    assertThat(refused()).isEqualTo(1);
    assertThat(client.replies())
        .isEqualTo(
            "CLIENT_ERROR bad authentication token format\r\n"
                + "CLIENT_ERROR authentication failure\r\n".repeat(MANY));
    assertThat(refused()).isEqualTo(MANY);
  }

  @Test
  void shouldLookAtOnePacketInEachTurn() {
    String login = "\u0080!\0\5" + "\0".repeat(7) + "\t" + "\0".repeat(12) + "PLAIN\0a\0b";
    client.arrive(login.repeat(MANY));
    assertThat(refused()).isEqualTo(1);
    assertThat(client.replies().split("Auth failure\\.", -1)).hasSize(MANY + 1);
    assertThat(refused()).isEqualTo(MANY);
  }

  private long refused() {
    return client.requests(Command.SASL, Outcome.REJECTED);
  }
}
