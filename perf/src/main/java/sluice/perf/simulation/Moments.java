package sluice.perf.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import sluice.perf.simulation.system.Simulator;

/**
 * Moments at which clients have something in flight that a fault may spoil. A fault can wait for
 * one: most of the time, most clients wait for nothing.
 */
final class Moments {
  /** A fault does not wait for longer. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(8);

  /** After it was sent, a request is on its way to a server for about that long. */
  private static final long ON_ITS_WAY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final Simulator simulator;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

  private final List<Runnable> waitingForLoss = new ArrayList<>();
  private long lossUntil; // replies may be lost until then

  /** Moments of a simulation, for which no fault waits yet. */
  Moments(Simulator simulator) {
    this.simulator = simulator;
  }

  /** Lets a fault happen at the next moment, or after some seconds without one. */
  void await(Runnable fault) {
    waiting.add(fault);
    simulator.after(
        LONGEST_WAIT_NANOS,
        () -> {
          if (waiting.remove(fault)) {
            fault.run();
          }
        });
  }

  /** Whether a fault waits. */
  boolean areAwaited() {
    return !waiting.isEmpty();
  }

  /** For that many nanoseconds, servers end connections in place of replies. */
  void repliesAreLost(long lasts) {
    lossUntil = Math.max(lossUntil, simulator.now() + lasts);
    waitingForLoss.forEach(client -> simulator.after(lasts / 10, client));
  }

  /** Tells a client each time when replies may be lost from now on. */
  void onLoss(Runnable client) {
    waitingForLoss.add(client);
  }

  /** Whether they do: a request whose reply is lost may be sent again. */
  boolean areRepliesLost() {
    return simulator.now() < lossUntil;
  }

  /** Requests are sent now. */
  void sending(RandomGenerator random) {
    begins(random, ON_ITS_WAY_NANOS);
  }

  /** A moment begins, which lasts for that many nanoseconds: the next fault happens in it. */
  void begins(RandomGenerator random, long lasts) {
    Runnable fault = waiting.poll();
    if (fault != null) {
      simulator.after(random.nextLong(lasts), fault);
    }
  }
}
