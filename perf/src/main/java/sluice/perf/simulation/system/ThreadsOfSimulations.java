package sluice.perf.simulation.system;

import io.vertx.core.impl.VertxThread;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;
import io.vertx.core.spi.VertxThreadFactory;
import java.util.concurrent.TimeUnit;

/** Service that gives simulated threads to each Vert.x that a simulation creates. */
public final class ThreadsOfSimulations implements VertxServiceProvider {
  /** Thread that never runs: the simulator does its work in one go, some time after its start. */
  private static final class Simulated extends VertxThread {
    private final Simulator simulator;
    private final Runnable work;

    Simulated(Simulator simulator, Runnable work, String name, boolean worker) {
      super(work, name, worker, Long.MAX_VALUE, TimeUnit.NANOSECONDS);
      this.simulator = simulator;
      this.work = work;
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // there is one thread only
    public void start() {
      simulator.after(simulator.timing().nextInt(20_000, 3_000_000), work);
    }
  }

  @Override
  public void init(VertxBootstrap builder) {
    if (Thread.currentThread() instanceof SimulationThread thread) {
      Simulator simulator = thread.simulator();
      builder.executorServiceFactory(
          (threads, concurrency, most) -> new SimulatedWorkers(simulator));
      builder.threadFactory(
          new VertxThreadFactory() {
            @Override
            public VertxThread newVertxThread(
                Runnable work, String name, boolean worker, long most, TimeUnit unit) {
              return new Simulated(simulator, work, name, worker);
            }
          });
    }
  }
}
