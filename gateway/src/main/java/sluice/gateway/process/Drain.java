package sluice.gateway.process;

import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.model.DurationText;
import sluice.gateway.time.Clocks;

/**
 * Drain of a gateway: requested at any time, done once, and not before the gateway has started.
 * From any thread.
 */
final class Drain {
  private static final Logger LOG = LoggerFactory.getLogger(Drain.class);
  private static final int CHECK_MILLIS = 20;

  private volatile boolean requested;
  private boolean over;
  private @Nullable Runnable action; // null: not started, done, or over

  /** Whether new clients are refused. */
  boolean isRequested() {
    return requested;
  }

  /** Drains, unless that was requested before; if the gateway is starting, after its start. */
  void request() {
    boolean first;
    synchronized (this) {
      first = !requested;
      requested = true;
    }
    if (first) {
      runIfStarted();
    }
  }

  /**
   * The gateway has started; drains at once if that was requested meanwhile.
   *
   * @param draining runs at most once
   */
  void started(Runnable draining) {
    boolean late;
    synchronized (this) {
      action = over ? null : draining;
      late = requested;
    }
    if (late) {
      runIfStarted();
    }
  }

  private void runIfStarted() {
    Runnable draining;
    synchronized (this) {
      draining = action;
      action = null;
    }
    if (draining != null) {
      draining.run();
    }
  }

  /** The gateway closes: there is nothing to drain any more. */
  synchronized void cancel() {
    requested = true;
    over = true;
    action = null;
  }

  /**
   * Lets clients finish.
   *
   * @param end called when no requests are in flight, or after that many milliseconds
   */
  static void of(Vertx vertx, List<LoopVerticle> loops, long limitMillis, Runnable end) {
    LOG.info("draining for up to {}", DurationText.of(limitMillis));
    long deadline = Clocks.nanos() + TimeUnit.MILLISECONDS.toNanos(limitMillis);
    for (LoopVerticle loop : loops) {
      loop.loopContext().runOnContext(v -> loop.drain());
    }
    vertx.setPeriodic(
        CHECK_MILLIS,
        id -> {
          if (loops.stream().allMatch(LoopVerticle::isDrained) || Clocks.nanos() - deadline > 0) {
            vertx.cancelTimer(id);
            end.run();
          }
        });
  }
}
