package sluice.perf.torture;

import java.util.concurrent.TimeUnit;

/** How long this machine made a thread wait that had nothing to do but look at the clock. */
final class MachinePauses implements Runnable {
  private static final long STEP_MILLIS = 10;

  private volatile long longestMillis;
  private volatile boolean over;

  @Override
  public void run() {
    try {
      while (!over) {
        long before = System.nanoTime();
        TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before) - STEP_MILLIS;
        longestMillis = Math.max(longestMillis, millis);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void stop() {
    over = true;
  }

  long longestMillis() {
    return longestMillis;
  }
}
