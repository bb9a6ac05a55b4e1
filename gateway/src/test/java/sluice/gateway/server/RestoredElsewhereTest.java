package sluice.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import sluice.config.model.DurationRange;
import sluice.config.model.HealthConfig;
import sluice.config.model.LimitsConfig;
import sluice.gateway.server.health.Health;
import sluice.gateway.server.health.PoolHealth;
import sluice.gateway.server.health.ServerStatus;

class RestoredElsewhereTest {
  private static final HealthConfig AT_ONCE =
      new HealthConfig(1, LimitsConfig.NEVER, 100, new DurationRange(60_000, 60_000), 100, false);

  private static final class Waiter implements ServerWaiter {
    private final AtomicInteger woken = new AtomicInteger();

    @Override
    public void serverChanged() {
      woken.incrementAndGet();
    }

    @Override
    public void serverTooLate(String reason) {
      throw new AssertionError(reason);
    }

    @Override
    public long waitingSince() {
      return System.nanoTime();
    }
  }

  /**
   * Between two lines of a request's code: the server was ejected when it wanted a connection, and
   * is not when it asks for the reason.
   */
  @Test
  void shouldWakeARequestThatBeganToWaitWhenAnotherLoopRestoredTheServer() {
    try (ProbedServer probed = new ProbedServer(ServerStatus.Side.TEXT, null)) {
      probed.asked();
      probed.answer("VERSION 1.6.45\r\n");
      ServerStatus status = probed.context().status();
      new PoolHealth("p", AT_ONCE, List.of(status), indices -> null).begin();
      Health health = status.health();
      health.failed("connection lost", System.nanoTime());
      assertThat(health.isEjected()).isTrue();
      probed.server().sweep();
      probed.runTasks();

      assertThat(probed.server().connection(0)).isNull();
      health.answeredProbe(System.nanoTime()); // by another loop
      assertThat(probed.server().unavailable()).isNull();
      Waiter waiter = new Waiter();
      probed.server().await(waiter);
      probed.server().sweep();
      probed.runTasks();
      assertThat(waiter.woken).hasValue(1);
      assertThat(probed.server().connection(0)).isNotNull();
      probed.server().sweep();
      probed.runTasks();
      assertThat(waiter.woken).hasValue(1);
    }
  }
}
