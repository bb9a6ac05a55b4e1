package sluice.gateway.request;

/**
 * Times at which a request was read and sent, in {@link System#nanoTime}'s nanoseconds, and whether
 * its answer is late.
 */
final class SendTimes {
  private long started;
  private long flushed;
  private long pausedBefore;
  private boolean timedOut;

  void reset() {
    timedOut = false;
  }

  void start(long now) {
    started = now;
  }

  long started() {
    return started;
  }

  void flush(long now) {
    flushed = now;
  }

  long flushed() {
    return flushed;
  }

  void pausedBefore(long nanos) {
    pausedBefore = nanos;
  }

  long pausedBefore() {
    return pausedBefore;
  }

  void timedOut() {
    timedOut = true;
  }

  boolean hasTimedOut() {
    return timedOut;
  }
}
