package sluice.perf;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What the connections of one load share: when to stop, what was done, what went wrong first. */
final class LoadRun {
  private static final int MINUTES_AT_MOST = 10;

  private volatile CountDownLatch working = new CountDownLatch(0);
  private volatile long endNanos;
  private volatile long limit;
  private volatile String failure;

  // The loop's thread alone writes this; others read it while nothing runs.
  private volatile long completed;
  private long counting;

  void untilNanos(long end, long requests) {
    endNanos = end;
    limit = requests;
  }

  void begin(int connections) {
    counting = 0;
    completed = 0;
    working = new CountDownLatch(connections);
  }

  void await() throws InterruptedException {
    if (!working.await(MINUTES_AT_MOST, TimeUnit.MINUTES)) {
      fail("not done within " + MINUTES_AT_MOST + " minutes");
    }
  }

  void done() {
    completed = counting;
    working.countDown();
  }

  void completed(int requests) {
    counting += requests;
  }

  long completed() {
    return completed;
  }

  boolean isOver() {
    return failure != null || counting >= limit || System.nanoTime() - endNanos >= 0;
  }

  /** The run is void; whoever waits goes on. */
  void fail(String description) {
    if (failure == null) {
      failure = description;
    }
    CountDownLatch all = working;
    while (all.getCount() > 0) {
      all.countDown();
    }
  }

  String failure() {
    return failure;
  }
}
