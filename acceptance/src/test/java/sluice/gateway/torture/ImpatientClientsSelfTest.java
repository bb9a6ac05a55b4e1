package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import org.junit.jupiter.api.Test;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Acceptor;
import sluice.testkit.Patience;
import sluice.testkit.misbehaving.ImpatientClients;

/** Who judges what became of requests that nobody waited for sees what is lost, and only that. */
class ImpatientClientsSelfTest {
  private static final int ENOUGH = 200;

  @Test
  void shouldMissNothingThatMemcachedWasTold() {
    try (RealMemcached memcached = RealMemcached.start();
        ImpatientClients clients =
            new ImpatientClients(memcached.address(), "i", () -> Patience.LIMIT, 1).start(2)) {
      assertThat(Patience.soon(() -> clients.writes() > ENOUGH && clients.asked() > ENOUGH))
          .isTrue();
      assertThat(clients.lost()).isZero();
      assertThat(clients.unanswered()).isZero();
    }
  }

  @Test
  void shouldMissWhatNobodyAnswers() throws Exception {
    try (Acceptor deaf =
            Acceptor.onLoopback(
                0,
                "deaf",
                (number, socket) -> {
                  try (socket) {
                    socket.getInputStream().transferTo(OutputStream.nullOutputStream());
                  } catch (IOException e) {
                    // closed
                  }
                });
        ImpatientClients clients =
            new ImpatientClients(deaf.address(), "i", () -> Patience.LIMIT, 1).start(2)) {
      assertThat(Patience.soon(() -> clients.unanswered() > 0)).isTrue();
    }
  }
}
