package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Server whose connection is not read for a while, because of a client that takes no replies. */
class PausedServerTest {
  private static final String TOUCHED = "TOUCHED\r\nTOUCHED\r\n";

  private final ScriptedPools pools =
      new ScriptedPools(
          "{pool: own}",
          "own: servers: [\"a:1\", \"b:1\"], health: {failures: 2, slow: 10ms, ejectFor: 1s..30s}");
  private final SocketlessServer a = pools.server("a");
  private final SocketlessServer b = pools.server("b");
  private final SocketlessClient client = pools.client();
  private final SocketlessClient other = pools.client();

  @AfterEach
  void close() {
    pools.close();
  }

  /** A key of this server. */
  private String keyOf(SocketlessServer server) {
    SocketlessServer rest = server == a ? b : a;
    for (int i = 0; i < 1000; i++) {
      String key = "k" + i;
      other.sends("get " + key + "\r\n");
      boolean its = !server.asked().isEmpty();
      (its ? server : rest).answers("END\r\n");
      assertThat(other.told()).isEqualTo("END\r\n");
      rest.asked();
      if (its) {
        return key;
      }
    }
    throw new AssertionError("no key is the server's");
  }

  @Test
  void shouldNotBeEjectedForTimeInWhichItWasNotRead() {
    String ofA = keyOf(a);
    String ofB = keyOf(b);
    client.sends("get " + ofA + "\r\nget " + ofB + "\r\nincr " + ofB + " 1\r\n");
    String touches = "touch " + ofB + " 9\r\ntouch " + ofB + " 9\r\n";
    other.sends(touches);
    String large = "v".repeat(3 << 20);
    b.answers(found(ofB, large)); // waits for the reply of a, and the connection is paused
    b.answers("1\r\n" + TOUCHED);
    pools.pass(25); // not as long as others may have to wait
    assertThat(other.told()).isEmpty();
    a.answers("END\r\n");
    assertThat(client.told()).isEqualTo("END\r\n" + found(ofB, large) + "1\r\n");
    assertThat(other.told()).isEqualTo(TOUCHED);
    a.asked();
    b.asked();
    other.sends("get " + ofB + "\r\n");
    assertThat(b.asked()).isEqualTo("get " + ofB + "\r\n");
    assertThat(a.asked()).isEmpty();
  }

  /** It reads all that there is, which is nothing before the other server's reply has come. */
  @Test
  void shouldBeReadOnForAClientThatWaitsForAnotherServer() {
    String ofA = keyOf(a);
    String ofB = keyOf(b);
    String slow = found(ofA, "slowly");
    String large = "v".repeat(3 << 20);
    client.sends("get " + ofA + "\r\nget " + ofB + "\r\nincr " + ofB + " 1\r\n");
    b.answers(found(ofB, large)); // waits for the reply of a, and the connection is paused
    b.answers("1\r\n");
    for (int i = 0; i < slow.length(); i++) {
      a.answers(slow.substring(i, i + 1));
      pools.pass(100);
      assertThat(client.isConnected()).as("after %d bytes", i + 1).isTrue();
    }
    assertThat(client.told()).isEqualTo(slow + found(ofB, large) + "1\r\n");
  }
}
