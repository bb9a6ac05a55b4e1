package sluice.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.loop.Loop;
import sluice.testkit.Patience;

class SweeperTest {
  private static final class Counted implements Sweeper.Swept {
    private final AtomicInteger sweeps = new AtomicInteger();
    private volatile int every;

    private Counted(int every) {
      this.every = every;
    }

    @Override
    public int sweepMillis() {
      return every;
    }

    @Override
    public void sweep() {
      sweeps.incrementAndGet();
    }
  }

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() {
    vertx.close().await();
  }

  private Sweeper start(List<Counted> loops) {
    Sweeper sweeper = new Sweeper(vertx, loops);
    vertx.runOnContext(v -> sweeper.start());
    return sweeper;
  }

  @Test
  void shouldSweepALoopWithoutTrafficLessOften() {
    Counted busy = new Counted(Loop.SHORTEST_SWEEP);
    Counted idle = new Counted(Loop.LONGEST_SWEEP);
    start(List.of(busy, idle));
    assertThat(Patience.soon(() -> busy.sweeps.get() >= 50)).isTrue();
    assertThat(idle.sweeps.get()).isBetween(1, busy.sweeps.get() / 2);
  }

  @Test
  void shouldSweepLoopsWithoutTrafficAllTheSame() {
    Counted first = new Counted(20);
    Counted second = new Counted(Loop.LONGEST_SWEEP);
    start(List.of(first, second));
    assertThat(Patience.soon(() -> first.sweeps.get() >= 3 && second.sweeps.get() >= 3)).isTrue();
  }

  /** Nothing but the call ends the hour that it waits. */
  @Test
  void shouldSweepOftenAgainWhenALoopHasWork() {
    Counted loop = new Counted(3_600_000);
    Sweeper sweeper = start(List.of(loop));
    assertThat(Patience.soon(() -> loop.sweeps.get() >= 1)).isTrue();
    loop.every = Loop.SHORTEST_SWEEP;
    assertThat(
            Patience.soon(
                () -> {
                  sweeper.wake(); // it may have looked at the loop before
                  return loop.sweeps.get() >= 20;
                }))
        .isTrue();
  }
}
