package sluice.gateway.process;

import io.vertx.core.Vertx;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.samples.HotKeys;
import sluice.gateway.samples.LoopSamples;
import sluice.gateway.samples.Samples;

/**
 * Drain of the event loops' samples, which are counted and logged several times a second: no thread
 * is woken for a single request.
 */
final class SampleDrain {
  /** Event loop with samples. */
  interface Source {
    /** Samples of its requests. */
    LoopSamples samples();
  }

  private static final Logger LOG = LoggerFactory.getLogger(SampleDrain.class);
  private static final int PERIOD_MILLIS = 200;

  private final Samples samples = new Samples();
  private final AtomicBoolean busy = new AtomicBoolean();
  private final List<? extends Source> loops;
  private volatile boolean stopped;

  /** The drain of these loops; more may be added to the list. */
  SampleDrain(List<? extends Source> loops) {
    this.loops = loops;
  }

  /**
   * Starts on the event loop of the admin port, which checks for samples; a worker does the
   * blocking part.
   */
  void start(Vertx vertx) {
    vertx.setPeriodic(
        PERIOD_MILLIS,
        id -> {
          if (!stopped && isAnythingThere() && busy.compareAndSet(false, true)) {
            drainBeside(vertx);
          }
        });
  }

  private void drainBeside(Vertx vertx) {
    try {
      vertx
          .executeBlocking(
              () -> {
                now();
                return null;
              },
              false)
          .onComplete(done -> busy.set(false));
    } catch (RejectedExecutionException e) {
      LOG.debug("the gateway stops: pending samples are counted later", e);
    }
  }

  /** Stops checking, because the workers are about to end. */
  void stop() {
    stopped = true;
  }

  /** Counts and logs pending samples. Blocks. */
  void now() {
    samples.drain(all());
  }

  /** The hot keys, including all pending samples. Blocks. */
  HotKeys.Snapshot hottest(int most) {
    now();
    return samples.hotKeys().hottest(most);
  }

  /** Forgets all pools except these. From any thread. */
  void keepOnly(Set<String> pools) {
    samples.hotKeys().keepOnly(pools);
  }

  /** Called often, so it makes no garbage. */
  private boolean isAnythingThere() {
    for (int i = 0; i < loops.size(); i++) {
      if (!loops.get(i).samples().isEmpty()) {
        return true;
      }
    }
    return false;
  }

  private List<LoopSamples> all() {
    return loops.stream().<LoopSamples>map(Source::samples).toList();
  }
}
