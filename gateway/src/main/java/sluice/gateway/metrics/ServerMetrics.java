package sluice.gateway.metrics;

/**
 * Counters of one event loop for one server of a pool. A caller gets them once from {@link
 * LoopMetrics#server} and keeps them. Only that loop's thread calls the methods, which allocate
 * nothing.
 */
public final class ServerMetrics {
  private static final int PROTOCOL_ERRORS = 0;
  private static final int LATE_REPLIES = 1;
  private static final int ATTEMPTS = 2;
  private static final int RETRIES = 3;
  private static final int FAILED = 4;

  private final SingleWriterCounters counters = new SingleWriterCounters(5);
  private final TimeHistogram serverTime = new TimeHistogram();

  ServerMetrics() {}

  /**
   * Records a reply.
   *
   * @param nanos from writing the request to the server's socket to reading the reply's last byte
   */
  public void serverTime(long nanos) {
    serverTime.record(nanos);
  }

  /** Counts a reply that broke the protocol, for which the connection was closed. */
  public void protocolError() {
    counters.add(PROTOCOL_ERRORS, 1);
  }

  /** Counts an attempt to connect. */
  public void connects() {
    counters.add(ATTEMPTS, 1);
  }

  /** Counts a request that timed out, or whose connection was lost. */
  public void failed() {
    counters.add(FAILED, 1);
  }

  /** Number of such requests; from any thread. */
  public long failures() {
    return counters.get(FAILED);
  }

  /** Counts a read that is sent once more, because its connection was lost. */
  public void retried() {
    counters.add(RETRIES, 1);
  }

  /** Number of retried reads; from any thread. */
  public long retries() {
    return counters.get(RETRIES);
  }

  /** Number of attempts to connect; from any thread. */
  public long connectionAttempts() {
    return counters.get(ATTEMPTS);
  }

  /** Counts a reply that was dropped because its request had timed out or lost its client. */
  public void lateReplyDropped() {
    counters.add(LATE_REPLIES, 1);
  }

  /** Number of replies that broke the protocol; from any thread. */
  public long protocolErrors() {
    return counters.get(PROTOCOL_ERRORS);
  }

  /** Number of replies that were dropped because they came late; from any thread. */
  public long lateReplies() {
    return counters.get(LATE_REPLIES);
  }

  TimeHistogram serverTime() {
    return serverTime;
  }
}
