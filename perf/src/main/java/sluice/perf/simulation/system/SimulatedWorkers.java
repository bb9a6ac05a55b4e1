package sluice.perf.simulation.system;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Worker threads for blocking work, which the simulator runs in one go at a later time. */
final class SimulatedWorkers extends AbstractExecutorService {
  private final Simulator simulator;
  private boolean shutDown;

  SimulatedWorkers(Simulator simulator) {
    this.simulator = simulator;
  }

  @Override
  public void execute(Runnable command) {
    if (shutDown) {
      throw new RejectedExecutionException("the workers have ended");
    }
    simulator.after(
        simulator.timing().nextInt(20_000, 3_000_000),
        () -> {
          if (!shutDown) { // what has not begun is dropped
            simulator.trace("worker", 0, 0);
            command.run();
          }
        });
  }

  @Override
  public void shutdown() {
    shutDown = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutDown = true;
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return shutDown;
  }

  @Override
  public boolean isTerminated() {
    return shutDown;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return shutDown;
  }
}
