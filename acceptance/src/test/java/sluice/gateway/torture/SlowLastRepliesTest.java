package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Patience;

/** Clients that are closed while they read their last replies slowly: they get all of them. */
class SlowLastRepliesTest extends ClosingTest {
  private static final int VALUE = 900_000;
  private static final int REPLIES = 8;

  @ParameterizedTest
  @CsvSource({
    "half-closed, '', ''",
    "quit, '', quit",
    "too old, 'maxAge: 1s', ''",
    "idle, 'idle: 1s', ''"
  })
  void shouldHaveAllOfThem(String how, String limits, String last) throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    RunningGateway gateway =
        closing(
            RunningGateway.before(server.address())
                .limits(
                    "stall: 100ms, itemSize: 1MiB, outBuffer: 16MiB"
                        + (limits.isEmpty() ? "" : ", " + limits))
                .timeout("20s")
                .start());
    try (RawClient writer = new RawClient(gateway.address())) {
      assertThat(writer.ask("set big 0 0 " + VALUE + "\r\n" + "x".repeat(VALUE) + "\r\n"))
          .isEqualTo("STORED");
    }
    String reply = "VALUE big 0 " + VALUE + "\r\n" + "x".repeat(VALUE) + "\r\nEND\r\n";
    RawClient client = closing(new RawClient(gateway.address(), 64 * 1024));
    client.send("get big\r\n".repeat(REPLIES) + (last.isEmpty() ? "" : last + "\r\n"));
    if (how.equals("half-closed")) {
      client.halfClose();
    }
    // All replies are written, the sockets on the way are full, and the connection is to close.
    assertThat(Patience.soon(() -> gateway.bufferedBytes() > 2L * VALUE && gateway.inFlight() == 0))
        .isTrue();
    Thread.sleep(1_500);
    assertThat(client.readToEnd(Patience.LIMIT)).hasSize(REPLIES * reply.length());
  }
}
