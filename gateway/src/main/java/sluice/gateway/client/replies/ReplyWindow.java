package sluice.gateway.client.replies;

/**
 * Window of requests that one client may have in flight. It depends on the size of the client's
 * recent replies. Clients share connections, on which replies come in order. A request behind large
 * replies of another client waits for all of their bytes. A value that the gateway reads for a
 * reply counts even if the client gets only its flags or its length.
 *
 * <pre>
 *   replies of up to 4 KiB     limits.inFlight
 *   larger ones                as many as fit four times into limits.outBuffer, at least one
 *   before the first reply     128; each reply may double the number
 * </pre>
 */
public final class ReplyWindow {
  /** Requests in flight before the first reply. */
  static final int FIRST = 128;

  /** The most bytes in flight, as a multiple of {@code limits.outBuffer}. */
  private static final int OUT_BUFFERS = 4;

  /** The weight of one reply in the average, as a shift: 1/8. */
  private static final int WEIGHT = 3;

  private final int most;
  private final long bytes;
  private int allowed;
  private int fullAt; // size of the window when it was last full
  private long written; // bytes of all replies
  private long writtenBefore; // the same when the last reply ended
  private long average; // average length of a reply

  /**
   * The window of a client.
   *
   * @param most requests, for replies of any size
   * @param outBuffer bytes of replies that are held for the client
   */
  public ReplyWindow(int most, long outBuffer) {
    this.most = most;
    bytes = OUT_BUFFERS * outBuffer;
    allowed = Math.min(most, FIRST);
  }

  /** Whether no more requests are taken with this many in flight. */
  public boolean isFull(int underWay) {
    boolean isFull = underWay >= allowed;
    if (isFull) {
      fullAt = allowed;
    }
    return isFull;
  }

  /**
   * Whether requests are taken again: half of them are answered, or the window has grown since it
   * was full.
   */
  public boolean isOpen(int underWay) {
    return underWay <= allowed / 2 || (allowed > fullAt && underWay < allowed);
  }

  /** Counts written bytes of a reply. */
  public void wrote(long count) {
    written += count;
  }

  /**
   * A reply has ended.
   *
   * @param read bytes of values that servers sent for it, and that may not have been written
   */
  public void replied(long read) {
    long size = Math.max(written - writtenBefore, read);
    writtenBefore = written;
    average += (size - average) >> WEIGHT;
    int fits = average * most <= bytes ? most : (int) Math.max(1, bytes / average);
    allowed = Math.min(fits, 2 * allowed);
  }
}
