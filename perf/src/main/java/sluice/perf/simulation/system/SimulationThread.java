package sluice.perf.simulation.system;

import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import sluice.gateway.time.SimulatedThread;

/** Thread on which simulations run, one after the other. */
public final class SimulationThread extends SimulatedThread {
  private @Nullable Simulator simulator; // null between two simulations

  /** A thread that is not started yet. */
  public SimulationThread(Runnable work) {
    super(work, "simulation");
  }

  /** The thread that calls this. */
  static SimulationThread current() {
    return (SimulationThread) Thread.currentThread();
  }

  /** Changes to another simulation; on this thread. */
  public void follow(Simulator other) {
    simulator = other;
  }

  /** The simulation that runs. */
  Simulator simulator() {
    if (simulator == null) {
      throw new IllegalStateException("no simulation runs");
    }
    return simulator;
  }

  @Override
  protected long nanoTime() {
    return simulator().nanoTime();
  }

  @Override
  protected long currentTimeMillis() {
    return simulator().currentTimeMillis();
  }

  @Override
  protected RandomGenerator random() {
    return simulator().product();
  }
}
