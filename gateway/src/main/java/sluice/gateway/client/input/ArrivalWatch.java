package sluice.gateway.client.input;

import sluice.gateway.loop.Loop;

/** Watch over the progress of a value or a line that a client is sending. */
public final class ArrivalWatch {
  /** Number of observations of a stall before a client is closed. */
  public static final int LOOKS = 2;

  /**
   * While others wait, this many bytes of a value must arrive in each {@code limits.stall}, or a
   * fraction of it if that is less.
   */
  private static final int LEAST_SENT = 64 * 1024;

  private static final int SHARES_SENT = 16;

  private final Loop loop;
  private long seen; // bytes that had arrived when enough more had last come
  private long seenAt; // when that was
  // observations since then: the event loop itself may have been blocked for a while
  private int looks;

  /** A watch over one client. */
  public ArrivalWatch(Loop loop) {
    this.loop = loop;
    seenAt = loop.now();
  }

  /**
   * Called a few times a second.
   *
   * @param arrived bytes of values or lines that have arrived in all
   * @param length of the value or line
   * @param excused whether nothing need come now
   */
  public void look(long arrived, int length, boolean excused) {
    looks++;
    int least = Math.min(LEAST_SENT, Math.max(1, length / SHARES_SENT));
    if (excused || arrived - seen >= least) {
      seenAt = loop.now();
      seen = arrived;
      looks = 0;
    }
  }

  /** Whether too little has arrived for that time. */
  public boolean standsStillFor(long nanos) {
    return looks >= LOOKS && loop.now() - seenAt > nanos;
  }
}
