package sluice.gateway.client;

/**
 * The number of requests that one client may have under way. It depends on how large the client's
 * replies have been. Clients share connections, on which replies come in order. A request behind
 * large replies of another client waits for all their bytes.
 *
 * <pre>
 *   replies of up to 4 KiB     limits.inFlight
 *   larger ones                as many as fit four times into limits.outBuffer, at least one
 *   before the first reply     128; each reply may double the number
 * </pre>
 */
final class ReplyWindow {
  /** Requests under way before anything is known of the client's replies. */
  static final int FIRST = 128;

  /** Of {@code limits.outBuffer}, so many times may be under way. */
  private static final int OUT_BUFFERS = 4;

  /** A reply counts for so much of the average: 1/8. */
  private static final int WEIGHT = 3;

  private final int most;
  private final long bytes;
  private int allowed;
  private int fullAt; // what was allowed when the window was full last
  private long written; // of all replies
  private long writtenBefore; // when the last reply ended
  private long average; // bytes of a reply

  /**
   * The window of a client.
   *
   * @param most requests, whatever their replies
   * @param outBuffer bytes of replies that are held for the client
   */
  ReplyWindow(int most, long outBuffer) {
    this.most = most;
    bytes = OUT_BUFFERS * outBuffer;
    allowed = Math.min(most, FIRST);
  }

  /** Whether no more requests are taken while so many are under way. */
  boolean isFull(int underWay) {
    boolean isFull = underWay >= allowed;
    if (isFull) {
      fullAt = allowed;
    }
    return isFull;
  }

  /**
   * Whether requests are taken again: half of them are answered, or more are allowed than when it
   * was full.
   */
  boolean isOpen(int underWay) {
    return underWay <= allowed / 2 || (allowed > fullAt && underWay < allowed);
  }

  /** So many bytes of a reply have been written. */
  void wrote(long count) {
    written += count;
  }

  /** A reply has ended. */
  void replied() {
    long size = written - writtenBefore;
    writtenBefore = written;
    average += (size - average) >> WEIGHT;
    int fits = average * most <= bytes ? most : (int) Math.max(1, bytes / average);
    allowed = Math.min(fits, 2 * allowed);
  }
}
