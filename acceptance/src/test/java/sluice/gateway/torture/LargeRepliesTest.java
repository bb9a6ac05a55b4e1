package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** A client that asks for much at once has little of it under way: others wait behind it. */
class LargeRepliesTest {
  private static final int GETS = 1000;
  private static final String VALUE = "v".repeat(300_000);

  @Test
  void shouldHaveFewRequestsUnderWayWhoseRepliesAreLarge() throws Exception {
    Semaphore answers = new Semaphore(0);
    ScriptedServer.Script script =
        request -> {
          answers.acquire();
          request.replyValues(key -> VALUE);
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway = RunningGateway.before(server.address()).timeout("60s").start();
        RawClient client = new RawClient(gateway.address())) {
      client.send("get k\r\n".repeat(GETS));
      assertThat(Patience.soon(() -> gateway.inFlight() == 128)).isTrue();
      for (int i = 0; i < GETS; i++) {
        answers.release();
        assertThat(client.line()).isEqualTo("VALUE k 0 " + VALUE.length());
        assertThat(client.line()).isEqualTo(VALUE);
        assertThat(client.line()).isEqualTo("END");
        if (i > 200) {
          assertThat(gateway.inFlight()).isLessThan(20);
        }
      }
    }
  }
}
