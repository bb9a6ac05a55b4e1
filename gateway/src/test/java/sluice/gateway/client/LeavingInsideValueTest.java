package sluice.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.dispatch.policy.ScriptedPools;
import sluice.gateway.dispatch.policy.SocketlessClient;
import sluice.gateway.dispatch.policy.SocketlessServer;

/** Clients that must leave while they are sending a request, above all a value that is streamed. */
class LeavingInsideValueTest {
  private static final int LENGTH = 100_000; // more than is gathered
  private static final String HEAD = "set k 0 0 " + LENGTH + "\r\n";
  private static final String LAST = "v".repeat(20_000) + "\r\n";

  private final ScriptedPools pools = new ScriptedPools("{pool: own}", "own");
  private final SocketlessServer server = pools.server("own");
  private final SocketlessClient client = pools.client();

  @AfterEach
  void close() {
    pools.close();
  }

  /** Begins a value; pauses in it make the client seem idle, while clients must leave. */
  private void sendAllButTheLastPart() {
    client.sends("get k\r\n"); // over the older connection
    assertThat(server.asked()).isEqualTo("get k\r\n");
    server.answers("END\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
    client.sends(HEAD + "v".repeat(40_000));
    pools.drain(100);
    pools.pass(300); // so long that even a client that is never quiet must leave
    client.sends("v".repeat(40_000));
    pools.pass(300);
    assertThat(client.isConnected()).isTrue();
  }

  private void isStored() {
    assertThat(server.asked()).isEqualTo(HEAD + "v".repeat(LENGTH) + "\r\n");
    server.answers("STORED\r\n");
    assertThat(client.told()).isEqualTo("STORED\r\n");
  }

  /** It sends a byte a second; within so many milliseconds more than 29 s, it is closed. */
  private void isClosedAfterHalfAMinute(long within) {
    for (int i = 0; i < 29; i++) {
      client.sends("v");
      pools.pass(1000);
    }
    assertThat(client.isConnected()).isTrue();
    pools.pass(within);
    assertThat(client.isConnected()).isFalse();
  }

  @Test
  void shouldFinishTheValue() {
    sendAllButTheLastPart();
    client.sends(LAST);
    isStored();
    assertThat(client.isConnected()).isFalse();
  }

  /** Otherwise a client could keep a server connection by sending a byte now and then. */
  @Test
  void shouldNotWaitForAValueOfWhichAlmostNothingArrives() {
    sendAllButTheLastPart();
    isClosedAfterHalfAMinute(2000);
  }

  /** Otherwise it could keep its connection by sending a byte now and then. */
  @ParameterizedTest
  @ValueSource(strings = {"get k", "set k 0 0 5000\r\n", "add k 0 0 2000000000\r\n"})
  void shouldNotWaitForALineOrAnotherValueOfWhichAlmostNothingArrives(String begun) {
    client.sends(begun);
    pools.drain(100);
    isClosedAfterHalfAMinute(3000);
  }

  /** The gateway discards the rest of such a value, and answers behind it. */
  @Test
  void shouldNotWaitForTheRestOfAValueThatItsServerCannotTake() {
    server.goesDown();
    client.sends(HEAD + "v".repeat(40_000));
    assertThat(client.told()).isEmpty();
    pools.drain(100);
    isClosedAfterHalfAMinute(3000);
  }

  @Test
  void shouldDiscardTheRestOfAValueThatItsServerCannotTake() {
    server.goesDown();
    client.sends(HEAD + "v".repeat(40_000));
    pools.drain(100);
    for (int i = 0; i < 4; i++) {
      pools.pass(20_000);
      client.sends("v".repeat(10_000));
    }
    client.sends(LAST);
    assertThat(client.told()).startsWith("SERVER_ERROR server own:1 is unreachable");
    assertThat(client.isConnected()).isFalse();
  }

  @Test
  void shouldFinishTheValueAndWhatCameWithItsEnd() {
    sendAllButTheLastPart();
    client.sends(LAST + "get a\r\nget b");
    isStored();
    assertThat(server.asked()).isEqualTo("get a\r\n");
    server.answersLate("END\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
    assertThat(client.isConnected()).isFalse();
  }
}
