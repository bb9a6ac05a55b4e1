package sluice.gateway.history;

import io.vertx.core.Vertx;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.metrics.Intervals;
import sluice.gateway.time.Clocks;

/**
 * Timer that takes the samples of a {@link History}. It runs on the admin port's event loop, and a
 * worker sums the counters: the event loops that carry traffic take no part.
 */
public final class HistoryTimer {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryTimer.class);

  private final History history = new History();
  private final Intervals intervals;
  private final AtomicBoolean busy = new AtomicBoolean();
  private volatile boolean stopped;

  /** A timer over these counters, which nothing else may read as intervals. */
  public HistoryTimer(Intervals intervals) {
    this.intervals = intervals;
  }

  /** The samples so far. */
  public History history() {
    return history;
  }

  /** Starts on the calling event loop. */
  public void start(Vertx vertx) {
    vertx.setPeriodic(
        TimeUnit.SECONDS.toMillis(History.PERIOD_SECONDS),
        id -> {
          if (!stopped && busy.compareAndSet(false, true)) {
            takeBeside(vertx);
          }
        });
  }

  private void takeBeside(Vertx vertx) {
    try {
      vertx
          .executeBlocking(
              () -> {
                history.add(Clocks.now(), intervals.next());
                return null;
              },
              false)
          .onComplete(done -> busy.set(false));
    } catch (RejectedExecutionException e) {
      LOG.debug("the gateway stops: no further sample is taken", e);
    }
  }

  /** Takes no further sample, because the workers are about to end. */
  public void stop() {
    stopped = true;
  }
}
