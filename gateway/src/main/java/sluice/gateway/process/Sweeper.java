package sluice.gateway.process;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Timer that has all event loops look for overdue work. It runs on the admin port's event loop,
 * because a loop that carries traffic has no timer of its own (ADR 0018).
 *
 * <p>A quiet loop is swept ten times less often. If all are quiet, the timer itself is, too: a
 * gateway without traffic hardly wakes its processor.
 */
final class Sweeper {
  /** Event loop, as the sweeper sees it. */
  interface Swept {
    /** Whether it had nothing to do lately; from any thread. */
    boolean isQuiet();

    /** Has the loop look for overdue work; from any thread. */
    void sweep();
  }

  private static final int BUSY_MILLIS = 10;
  private static final int QUIET_MILLIS = 100;
  private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

  private final Vertx vertx;
  private final List<? extends Swept> loops;
  private final int busyMillis;
  private final int quietMillis;
  private volatile @Nullable Context context; // null until it starts
  private long timer;
  private int turn;
  private boolean allQuiet;

  /**
   * A sweeper that has not started.
   *
   * @param loops may be added to by another thread
   */
  Sweeper(Vertx vertx, List<? extends Swept> loops) {
    this(vertx, loops, BUSY_MILLIS, QUIET_MILLIS);
  }

  /** As above, with other intervals. */
  Sweeper(Vertx vertx, List<? extends Swept> loops, int busyMillis, int quietMillis) {
    this.vertx = vertx;
    this.loops = loops;
    this.busyMillis = busyMillis;
    this.quietMillis = quietMillis;
  }

  /** Sweeps from now on. On the event loop that is to have the timer. */
  void start() {
    context = vertx.getOrCreateContext();
    timer = vertx.setPeriodic(busyMillis, id -> sweep());
  }

  private void sweep() {
    boolean everyOne = allQuiet || turn++ % (quietMillis / busyMillis) == 0;
    boolean quiet = !loops.isEmpty(); // none yet: the first are about to start
    for (int i = 0; i < loops.size(); i++) {
      Swept loop = loops.get(i);
      boolean isQuiet = loop.isQuiet();
      if (everyOne || !isQuiet) {
        loop.sweep();
      }
      quiet &= isQuiet;
    }
    rest(quiet);
  }

  // The timer is periodic, because a new one for each sweep would be more garbage than the sweep.
  private void rest(boolean quiet) {
    if (quiet != allQuiet) {
      allQuiet = quiet;
      vertx.cancelTimer(timer);
      timer = vertx.setPeriodic(quiet ? quietMillis : busyMillis, id -> sweep());
    }
  }

  /** A loop is not quiet any more; from any thread. */
  void wake() {
    Context own = context;
    if (own == null) {
      return;
    }
    try {
      own.runOnContext(v -> rest(false));
    } catch (RejectedExecutionException e) {
      LOG.debug("the admin port's event loop has ended", e);
    }
  }
}
