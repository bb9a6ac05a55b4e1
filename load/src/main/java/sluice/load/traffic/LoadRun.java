package sluice.load.traffic;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** State that the connections of one load share: when to stop, the work done, the first failure. */
public final class LoadRun {
  private static final int MINUTES_AT_MOST = 10;

  private volatile CountDownLatch working = new CountDownLatch(0);
  private volatile long endNanos;
  private volatile long limit;
  private volatile @Nullable String failure;

  // Only the event loop's thread writes this; others read it while nothing runs.
  private volatile long completed;
  private long counting;

  /** Sets the end: at that nanosecond, or after that number of requests. */
  public void untilNanos(long end, long requests) {
    endNanos = end;
    limit = requests;
  }

  /** Begins to count, with a number of connections that must become {@link #done}. */
  public void begin(int connections) {
    counting = 0;
    completed = 0;
    working = new CountDownLatch(connections);
  }

  /** Waits until all connections are done, or the run has failed. */
  public void await() throws InterruptedException {
    if (!working.await(MINUTES_AT_MOST, TimeUnit.MINUTES)) {
      fail("not done within " + MINUTES_AT_MOST + " minutes");
    }
  }

  /** Counts a connection as done. */
  public void done() {
    completed = counting;
    working.countDown();
  }

  /** Counts further requests that were answered correctly. */
  public void completed(int requests) {
    counting += requests;
  }

  /** Number of requests in the last window, once it has ended. */
  public long completed() {
    return completed;
  }

  /** Whether nothing more may be sent. */
  public boolean isOver() {
    return failure != null || counting >= limit || System.nanoTime() - endNanos >= 0;
  }

  /** Fails the run; waiting threads continue. */
  public void fail(String description) {
    if (failure == null) {
      failure = description;
    }
    CountDownLatch all = working;
    while (all.getCount() > 0) {
      all.countDown();
    }
  }

  /** The first failure; null if there is none. */
  public @Nullable String failure() {
    return failure;
  }
}
