package sluice.gateway.time;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.random.RandomGenerator;

/**
 * Thread with a clock and random numbers that are not the system's, so that what runs on it can be
 * repeated.
 */
public abstract class SimulatedThread extends FastThreadLocalThread {
  /**
   * A thread that is not started yet.
   *
   * @param work runs on it
   */
  protected SimulatedThread(Runnable work, String name) {
    super(work, name);
  }

  /** As {@link System#nanoTime}. */
  protected abstract long nanoTime();

  /** As {@link System#currentTimeMillis}. */
  protected abstract long currentTimeMillis();

  /** The source of all random numbers. */
  protected abstract RandomGenerator random();
}
