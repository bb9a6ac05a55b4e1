package sluice.testkit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * Measurement of the heap that work allocates in steady state. On a busy machine the compiler may
 * be late, and code that it has not compiled yet leaves garbage. So there is no fixed warm-up: work
 * that allocates does so in each of many rounds, and the lowest result counts.
 */
public final class SteadyState {
  private static final int ROUNDS = 30;

  /** From this round on, the compiler gets time to catch up before each. */
  private static final int PATIENT = 6;

  private SteadyState() {}

  /**
   * The fewest bytes that this thread allocates in a round.
   *
   * @param low a result below this ends the measurement
   */
  public static long leastAllocated(long low, Runnable round) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    try {
      for (int i = 0; i < ROUNDS && least >= low; i++) {
        TimeUnit.MILLISECONDS.sleep(i < PATIENT ? 0 : 200);
        long before = threads.getCurrentThreadAllocatedBytes();
        round.run();
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return least;
  }
}
