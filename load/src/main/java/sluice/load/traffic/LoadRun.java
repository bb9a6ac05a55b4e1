package sluice.load.traffic;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What the connections of one load share: when to stop, what was done, what went wrong first. */
public final class LoadRun {
  private static final int MINUTES_AT_MOST = 10;

  private volatile CountDownLatch working = new CountDownLatch(0);
  private volatile long endNanos;
  private volatile long limit;
  private volatile String failure;

  // The loop's thread alone writes this; others read it while nothing runs.
  private volatile long completed;
  private long counting;

  /** Says when to stop: at that nanosecond, or after so many requests. */
  public void untilNanos(long end, long requests) {
    endNanos = end;
    limit = requests;
  }

  /** Begins to count; so many connections are to be {@link #done}. */
  public void begin(int connections) {
    counting = 0;
    completed = 0;
    working = new CountDownLatch(connections);
  }

  /** Waits until all of them are, or the run has failed. */
  public void await() throws InterruptedException {
    if (!working.await(MINUTES_AT_MOST, TimeUnit.MINUTES)) {
      fail("not done within " + MINUTES_AT_MOST + " minutes");
    }
  }

  /** A connection has come to rest. */
  public void done() {
    completed = counting;
    working.countDown();
  }

  /** So many more requests were answered as they must be. */
  public void completed(int requests) {
    counting += requests;
  }

  /** Requests of the last window; once it has ended. */
  public long completed() {
    return completed;
  }

  /** Whether nothing more is to be sent. */
  public boolean isOver() {
    return failure != null || counting >= limit || System.nanoTime() - endNanos >= 0;
  }

  /** The run is void; whoever waits goes on. */
  public void fail(String description) {
    if (failure == null) {
      failure = description;
    }
    CountDownLatch all = working;
    while (all.getCount() > 0) {
      all.countDown();
    }
  }

  /** What went wrong first; null if nothing did. */
  public String failure() {
    return failure;
  }
}
