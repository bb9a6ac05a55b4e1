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

  private Sweeper start(List<Counted> loops) {
    Sweeper sweeper = new Sweeper(vertx, loops);
    vertx.runOnContext(v -> sweeper.start());
    return sweeper;
  }

  @Test
  void shouldSweepAQuietLoopLessOften() {
    Counted busy = new Counted(false);
    Counted quiet = new Counted(true);
    start(List.of(busy, quiet));
    assertThat(Patience.soon(() -> busy.sweeps.get() >= 50)).isTrue();
    assertThat(quiet.sweeps.get()).isBetween(1, busy.sweeps.get() / 2);
  }

  @Test
  void shouldSweepQuietLoopsAllTheSame() {
    Counted quiet = new Counted(true);
    start(List.of(quiet));
    assertThat(Patience.soon(() -> quiet.sweeps.get() >= 3)).isTrue();
  }

  @Test
  void shouldSweepOftenAgainWhenALoopIsNotQuietAnyMore() {
    Counted loop = new Counted(true);
    Counted other = new Counted(true);
    Sweeper sweeper = start(List.of(loop, other));
    assertThat(Patience.soon(() -> loop.sweeps.get() >= 2)).isTrue();
    loop.quiet = false;
    sweeper.wake();
    int before = loop.sweeps.get();
    int otherBefore = other.sweeps.get();
    assertThat(Patience.soon(() -> loop.sweeps.get() >= before + 50)).isTrue();
    assertThat(other.sweeps.get() - otherBefore).isLessThan((loop.sweeps.get() - before) / 2);
  }
}
