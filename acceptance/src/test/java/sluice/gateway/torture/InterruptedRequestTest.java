package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/**
 * A write in the middle of one client's request fills and empties a socket, for which another
 * client waits: that one's requests are read behind it, not in between.
 */
class InterruptedRequestTest extends ClosingTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int MUCH = 30_000;
  private static final int LARGE = 200_000;

  private final CountDownLatch over = new CountDownLatch(1);

  /** Reads nothing more of the connection on which it is asked for stop. */
  private ScriptedServer server(String stored) throws Exception {
    return closing(
        new ScriptedServer(
            request -> {
              if (request.line().startsWith("set other-stop ")) {
                assertThat(over.await(30, TimeUnit.SECONDS)).isTrue();
              }
              if (request.line().startsWith("set key")) {
                request.reply(stored + "\r\n");
              } else {
                ScriptedServer.behave(request);
              }
            }));
  }

  @Test
  void shouldNotBeReadInTheMiddleOfAnother() throws Exception {
    ScriptedServer first = server("SERVER_ERROR no");
    ScriptedServer second = server("STORED"); // so that the answer is the second's
    String pools =
        RunningGateway.pools(
            ", dialect: text, timeout: 30s, connections: {perEventLoop: 2}",
            first.address(),
            second.address());
    String rules =
        "{match: {prefix: other}, pool: a}, {replicate: {pools: [a, b], acks: one, reads: first}}";
    RunningGateway gateway = closing(RunningGateway.routed(1, rules, pools));
    RawClient waits = client(gateway.address()); // on the first connection to each server,
    RawClient writes = client(gateway.address()); // and on the second

    for (int i = 0; i < 5; i++) { // so that it may have many requests under way
      assertThat(waits.ask("get other-0\r\n")).isEqualTo("VALUE other-0 0 7");
      assertThat(waits.line()).isEqualTo("other-0");
      assertThat(waits.line()).isEqualTo("END");
    }
    assertThat(writes.ask("ms key 1\r\nx\r\n")).isEqualTo("HD");
    String much = "v".repeat(MUCH);
    Thread sender =
        new Thread(
            () -> {
              try {
                waits.send("set other-stop 0 0 1\r\nx\r\n");
                for (int i = 0; i < 600; i++) {
                  waits.send("set other-" + i + " 0 0 " + MUCH + "\r\n" + much + "\r\n");
                }
              } catch (java.io.IOException e) {
                // closed behind the test
              }
            });
    sender.start();
    assertThat(Patience.within(PATIENCE, () -> gateway.bufferedBytes() > 100_000)).isTrue();

    String value = "v".repeat(LARGE);
    for (int i = 0; i < 50; i++) {
      writes.send("ms key-" + i + " " + LARGE + " k Oclient" + i + "\r\n" + value + "\r\n");
      assertThat(writes.line()).isEqualTo("HD kkey-" + i + " Oclient" + i);
    }
    over.countDown();
  }
}
