package sluice.gateway.metrics;

/**
 * What one event loop counts for one server of a pool. Got once from {@link LoopMetrics#server} and
 * kept; every method is called by that loop's thread only and allocates nothing.
 */
public final class ServerMetrics {
  private static final int PROTOCOL_ERRORS = 0;
  private static final int LATE_REPLIES = 1;
  private static final int ATTEMPTS = 2;

  private final SingleWriterCounters counters = new SingleWriterCounters(3);
  private final TimeHistogram serverTime = new TimeHistogram();

  ServerMetrics() {}

  /**
   * A reply came.
   *
   * @param nanos from the request being written to the server's socket to the reply's last byte
   */
  public void serverTime(long nanos) {
    serverTime.record(nanos);
  }

  /** A reply broke the protocol, and the connection was closed for it. */
  public void protocolError() {
    counters.add(PROTOCOL_ERRORS, 1);
  }

  /** A connection is being made. */
  public void connects() {
    counters.add(ATTEMPTS, 1);
  }

  /** So far; from any thread. */
  public long connectionAttempts() {
    return counters.get(ATTEMPTS);
  }

  /** A reply came after its request had timed out or lost its client, and was dropped. */
  public void lateReplyDropped() {
    counters.add(LATE_REPLIES, 1);
  }

  /** So far; from any thread. */
  public long protocolErrors() {
    return counters.get(PROTOCOL_ERRORS);
  }

  /** So far; from any thread. */
  public long lateReplies() {
    return counters.get(LATE_REPLIES);
  }

  TimeHistogram serverTime() {
    return serverTime;
  }
}
