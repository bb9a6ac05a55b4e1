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
 * Takes what event loops picked to where it is counted and logged, several times a second: nobody
 * is woken for a single request.
 */
final class SampleDrain {
  /** An event loop. */
  interface Source {
    /** Which of its requests are told of. */
    LoopSamples samples();
  }

  private static final Logger LOG = LoggerFactory.getLogger(SampleDrain.class);
  private static final int PERIOD_MILLIS = 200;

  private final Samples samples = new Samples();
  private final AtomicBoolean busy = new AtomicBoolean();
  private final List<? extends Source> loops;
  private volatile boolean stopped;

  /** Of these loops, to which others may come. */
  SampleDrain(List<? extends Source> loops) {
    this.loops = loops;
  }

  /** On the event loop of the admin port, which looks; a worker does what blocks. */
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
      LOG.debug("the gateway ends: what was picked is counted behind it", e);
    }
  }

  /** Nothing is looked for any more: whoever works for it is about to end. */
  void stop() {
    stopped = true;
  }

  /** Counts and logs what there is. Blocks. */
  void now() {
    samples.drain(all());
  }

  /** What is hot, with all that was picked until now. Blocks. */
  HotKeys.Snapshot hottest(int most) {
    now();
    return samples.hotKeys().hottest(most);
  }

  /** There are no other pools now than these. From any thread. */
  void keepOnly(Set<String> pools) {
    samples.hotKeys().keepOnly(pools);
  }

  /** Often: it makes no garbage. */
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
