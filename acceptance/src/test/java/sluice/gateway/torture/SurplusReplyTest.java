package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** A server that answers one large value twice does not acknowledge the next client's. */
class SurplusReplyTest {
  private static final int LENGTH = 100_000;
  private static final String VALUE = "x".repeat(LENGTH) + "\r\n";

  private static String set(String key) {
    return "set " + key + " 0 0 " + LENGTH + "\r\n";
  }

  @Test
  void shouldNotAcknowledgeAValueThatTheServerHasNotSeen() throws Exception {
    CountDownLatch firstIsWhole = new CountDownLatch(1);
    CountDownLatch bothWait = new CountDownLatch(1);
    CountDownLatch acknowledges = new CountDownLatch(1);
    try (ScriptedServer server =
            new ScriptedServer(
                request -> {
                  if (request.line().startsWith("set one ")) {
                    firstIsWhole.countDown();
                    bothWait.await();
                    request.reply("STORED\r\nSTORED\r\n");
                  } else if (request.line().startsWith("set two ")) {
                    acknowledges.await();
                    request.reply("STORED\r\n");
                  }
                });
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .connections("streams: 1")
                .timeout("20s")
                .limits("stall: 20s")
                .start();
        RawClient holder = new RawClient(gateway.address());
        RawClient first = new RawClient(gateway.address());
        RawClient second = new RawClient(gateway.address())) {
      // The only connection for values on their way is taken: those of the others are gathered.
      holder.send(set("hold") + VALUE.substring(0, 1000));
      assertThat(Patience.soon(() -> gateway.inFlight() == 1)).isTrue();
      first.send(set("one") + VALUE);
      firstIsWhole.await();
      second.send(set("two") + VALUE);
      assertThat(Patience.soon(() -> gateway.bufferedBytes() >= 2 * LENGTH)).isTrue();
      TimeUnit.SECONDS.sleep(1); // most likely, all of it has arrived then
      bothWait.countDown();

      assertThat(first.line()).isEqualTo("STORED");
      if (second.isSilentFor(Duration.ofSeconds(5))) { // it was not there yet: another connection
        acknowledges.countDown();
        assertThat(second.line()).isEqualTo("STORED");
      } else {
        // isSilentFor took the first letter
        assertThat(second.line()).startsWith("ERVER_ERROR ").contains("broke the protocol");
      }
      assertThat(gateway.gateway().scrape())
          .containsPattern("sluice_server_protocol_errors_total\\{[^}]*} 1");
    }
  }
}
