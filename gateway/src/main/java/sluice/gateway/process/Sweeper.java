package sluice.gateway.process;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.loop.Loop;
import sluice.gateway.time.Clocks;

/**
 * Timer that has all event loops look for overdue work. It runs on the admin port's event loop,
 * because a loop that carries traffic has no timer of its own (ADR 0018).
 *
 * <p>A loop without traffic is swept less often (ADR 0071), and the timer is due as often as the
 * busiest loop needs it: a gateway without traffic hardly wakes its processor.
 */
final class Sweeper {
  /** Event loop, as the sweeper sees it. */
  interface Swept {
    /** How often it must look for overdue work, in milliseconds; from any thread. */
    int sweepMillis();

    /** Has the loop look for overdue work; from any thread. */
    void sweep();
  }

  /** A timer may be due this much early. */
  private static final long EARLY_NANOS = TimeUnit.MILLISECONDS.toNanos(Loop.SHORTEST_SWEEP) / 2;

  private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

  private final Vertx vertx;
  private final List<? extends Swept> loops;
  private volatile @Nullable Context context; // null until it starts
  private long[] sweptAt = {}; // of each loop; a new one is swept at once
  private long timer;
  private int timerMillis;

  /**
   * A sweeper that has not started.
   *
   * @param loops may be added to by another thread
   */
  Sweeper(Vertx vertx, List<? extends Swept> loops) {
    this.vertx = vertx;
    this.loops = loops;
  }

  /** Sweeps from now on. On the event loop that is to have the timer. */
  void start() {
    context = vertx.getOrCreateContext();
    setTimer(Loop.SHORTEST_SWEEP);
  }

  private void sweep() {
    long now = Clocks.nanos();
    int count = loops.size();
    int known = sweptAt.length;
    if (known < count) {
      sweptAt = Arrays.copyOf(sweptAt, count);
    }
    int shortest = count == 0 ? Loop.SHORTEST_SWEEP : Integer.MAX_VALUE;
    for (int i = 0; i < count; i++) {
      Swept loop = loops.get(i);
      int every = loop.sweepMillis();
      if (i >= known || now - sweptAt[i] >= TimeUnit.MILLISECONDS.toNanos(every) - EARLY_NANOS) {
        sweptAt[i] = now;
        loop.sweep();
      }
      shortest = Math.min(shortest, every);
    }
    if (shortest != timerMillis) {
      vertx.cancelTimer(timer);
      setTimer(shortest);
    }
  }

  // The timer is periodic, because a new one for each sweep would be more garbage than the sweep.
  private void setTimer(int millis) {
    timerMillis = millis;
    timer = vertx.setPeriodic(millis, id -> sweep());
  }

  /** A loop must be swept more often again; from any thread. */
  void wake() {
    Context own = context;
    if (own == null) {
      return;
    }
    try {
      own.runOnContext(
          v -> {
            if (timerMillis != Loop.SHORTEST_SWEEP) {
              vertx.cancelTimer(timer);
              setTimer(Loop.SHORTEST_SWEEP);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("the admin port's event loop has ended", e);
    }
  }
}
