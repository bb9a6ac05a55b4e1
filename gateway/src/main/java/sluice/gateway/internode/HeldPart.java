package sluice.gateway.internode;

import java.util.concurrent.TimeUnit;
import sluice.gateway.loop.Loop;

/**
 * Watch over the part of a frame or message that one link holds until the rest has come. While
 * memory is short, the rest must come. Peers may stop at any byte, and hundreds of links may then
 * use up the memory of all others.
 */
final class HeldPart {
  /** A part of so many bytes may stay. */
  static final int MOST_AT_REST = 2 * 1024;

  /** Bytes that must come within {@link #LIMIT_NANOS} if the end does not. */
  static final int LEAST_GROWTH = 64 * 1024;

  /** How long the link may be read before as many bytes have come, or the end. */
  static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Most time that counts between two looks: the event loop may have been busy. */
  private static final long MOST_BETWEEN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Loop loop;
  private long unit; // number of the frame or message
  private long heldThen; // bytes held when enough had last come
  private long readNanos; // for which the link has been read since then
  private long lookedAt;

  /** A watch over a link that holds nothing yet. */
  HeldPart(Loop loop) {
    this.loop = loop;
    lookedAt = loop.now();
  }

  /**
   * Called several times a second.
   *
   * @param unit number of the frame or message, which is another one when that is complete
   * @param held bytes of it
   * @param isRead whether its rest would be read now
   */
  void look(long unit, long held, boolean isRead) {
    boolean isSmall = held <= MOST_AT_REST;
    if (isSmall
        || unit != this.unit
        || held - heldThen >= LEAST_GROWTH
        || !loop.memory().areBytesMany()) {
      this.unit = unit;
      heldThen = held;
      readNanos = 0;
    } else if (isRead) {
      readNanos += Math.min(loop.now() - lookedAt, MOST_BETWEEN_NANOS);
    }
    lookedAt = loop.now();
  }

  /** Whether almost nothing has come for too long. */
  boolean standsStill() {
    return readNanos > LIMIT_NANOS;
  }
}
