package sluice.perf.simulation.system;

import static org.assertj.core.api.Assertions.assertThat;

/** Code of a test that runs on the thread of a simulation. */
public final class SimulationRun {
  private SimulationRun() {}

  /** Runs code to its end, and fails as it does, or for what the simulator has found. */
  public static void on(Simulator simulator, Runnable code) throws InterruptedException {
    Throwable[] failure = {null};
    SimulationThread thread =
        new SimulationThread(
            () -> {
              ((SimulationThread) Thread.currentThread()).follow(simulator);
              try {
                code.run();
              } catch (RuntimeException | AssertionError e) {
                failure[0] = e;
              }
            });
    thread.start();
    thread.join();
    assertThat(failure[0]).isNull();
    assertThat(simulator.findings()).isEmpty();
  }
}
