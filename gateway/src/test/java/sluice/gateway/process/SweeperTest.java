package sluice.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.testkit.Patience;

class SweeperTest {
  private static final class Counted implements Sweeper.Swept {
    private final AtomicInteger sweeps = new AtomicInteger();
    private volatile boolean quiet;

    private Counted(boolean quiet) {
      this.quiet = quiet;
    }

    @Override
    public boolean isQuiet() {
      return quiet;
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

  private Sweeper start(int quietMillis, List<Counted> loops) {
    Sweeper sweeper = new Sweeper(vertx, loops, 10, quietMillis);
    vertx.runOnContext(v -> sweeper.start());
    return sweeper;
  }

  @Test
  void shouldSweepAQuietLoopLessOften() {
    Counted busy = new Counted(false);
    Counted quiet = new Counted(true);
    start(100, List.of(busy, quiet));
    assertThat(Patience.soon(() -> busy.sweeps.get() >= 50)).isTrue();
    assertThat(quiet.sweeps.get()).isBetween(1, busy.sweeps.get() / 2);
  }

  @Test
  void shouldSweepQuietLoopsAllTheSame() {
    Counted quiet = new Counted(true);
    start(100, List.of(quiet));
    assertThat(Patience.soon(() -> quiet.sweeps.get() >= 3)).isTrue();
  }

  /** Nothing but the call ends the hour that it waits. */
  @Test
  void shouldSweepOftenAgainWhenALoopIsNotQuietAnyMore() {
    Counted loop = new Counted(true);
    Sweeper sweeper = start(3_600_000, List.of(loop));
    assertThat(Patience.soon(() -> loop.sweeps.get() >= 1)).isTrue();
    loop.quiet = false;
    assertThat(
            Patience.soon(
                () -> {
                  sweeper.wake(); // it may have looked at the loop before
                  return loop.sweeps.get() >= 20;
                }))
        .isTrue();
  }
}
