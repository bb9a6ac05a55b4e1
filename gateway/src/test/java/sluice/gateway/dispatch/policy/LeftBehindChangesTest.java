package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.metrics.DropReason;

/** Changes of a client that is gone, behind a reply that the server sends for a long time. */
class LeftBehindChangesTest {
  private static final int LENGTH = 1000;

  private final ScriptedPools pools = new ScriptedPools("{pool: own}", "own");
  private final SocketlessServer server = pools.server("own");

  @BeforeEach
  void begin() {
    SocketlessClient client = pools.client();
    client.sends("get k\r\nset a 0 0 1\r\nx\r\n");
    assertThat(server.asked()).isEqualTo("get k\r\nset a 0 0 1\r\nx\r\n");
    server.answers("VALUE k 0 " + LENGTH + "\r\n");
    client.leaves();
  }

  @AfterEach
  void close() {
    pools.close();
  }

  /** The server sends some of the value every 300 ms; the timeout is 500 ms. */
  private int sendsFor(int millis) {
    int times = millis / 300;
    for (int i = 0; i < times; i++) {
      pools.pass(300);
      if (server.connections() == 1) {
        server.answers("x");
      } else { // another connection was made for other requests
        server.answersLate("x");
      }
    }
    return times;
  }

  private long dropped() {
    return pools.metrics().requestsDropped(DropReason.TIMEOUT);
  }

  @Test
  void shouldBeCarriedOut() {
    int sent = sendsFor(1200);
    assertThat(server.connections()).as("with the one for other requests").isEqualTo(2);
    server.answersLate("x".repeat(LENGTH - sent) + "\r\nEND\r\n");
    pools.pass(20); // the server has only now begun with the change
    assertThat(server.connections()).isEqualTo(2);
    server.answersLate("STORED\r\n");
    pools.pass(20);
    assertThat(server.connections()).isOne();
    assertThat(dropped()).isZero();
  }

  @Test
  void shouldBeDroppedAndCountedAfterHalfAMinute() {
    sendsFor(29_700);
    assertThat(server.connections()).isEqualTo(2);
    assertThat(dropped()).isZero();
    pools.pass(400);
    assertThat(server.connections()).isOne();
    assertThat(dropped()).isOne();
  }
}
