package sluice.perf.torture;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/** How long this machine made a thread wait that had nothing to do but look at the clock. */
final class MachinePauses implements Runnable {
  private static final long STEP_MILLIS = 10;

  private static final long TURN_MILLIS = 2000; // Vert.x reports longer ones

  private volatile long longestMillis;
  private volatile double busiest = 1;
  private volatile boolean over;

  @Override
  public void run() {
    try {
      while (!over) {
        long before = System.nanoTime();
        TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before) - STEP_MILLIS;
        longestMillis = Math.max(longestMillis, millis);
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        busiest = Math.max(busiest, load / Runtime.getRuntime().availableProcessors());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void stop() {
    over = true;
  }

  /**
   * What a turn of an event loop may take that would be short on an idle machine: longer by as much
   * as there was to do for each processor.
   */
  long turnMillis() {
    return longestMillis + (long) (TURN_MILLIS * busiest);
  }

  /** What a reply may take on top: the longest pause, and more as there was more to do. */
  long allowanceMillis() {
    return longestMillis + (long) (TURN_MILLIS * (busiest - 1));
  }
}
