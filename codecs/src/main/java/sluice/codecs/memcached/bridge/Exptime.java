package sluice.codecs.memcached.bridge;

/**
 * Times to live, in one domain for all dialects: 0 never; up to {@link #MOST_RELATIVE} seconds from
 * now; above that seconds since 1970, up to 32 bits unsigned; negative has expired already
 * (memcached's protocol.txt, "Expiration times"). Relative times are never made absolute: the
 * server's clock decides.
 */
public final class Exptime {
  /** Thirty days, in seconds. */
  public static final int MOST_RELATIVE = 60 * 60 * 24 * 30;

  /** In the binary protocol's 32 bits unsigned: a second of 1970, for which there is no sign. */
  private static final int EXPIRED = MOST_RELATIVE + 1;

  private Exptime() {}

  /** Of a decimal in a text or meta request: memcached keeps 32 bits of it, signed. */
  public static long ofText(long decimal) {
    return (int) decimal;
  }

  /** Of a field of a binary request. */
  public static long ofBinary(int field) {
    return Integer.toUnsignedLong(field);
  }

  /**
   * Of the seconds that an item has left to live, as a server tells them: -1 without end.
   *
   * @param now seconds since 1970, for what is too long to be said as seconds from now
   */
  public static long ofLeft(long seconds, long now) {
    if (seconds < 0) {
      return 0;
    }
    return seconds > MOST_RELATIVE ? now + seconds : Math.max(1, seconds);
  }

  /** For a text or meta request: what its 32 bits signed cannot say, from 2038 on, is never. */
  public static long toText(long exptime) {
    return exptime > Integer.MAX_VALUE ? 0 : Math.max(exptime, -1);
  }

  /** For a field of a binary request. */
  public static int toBinary(long exptime) {
    return exptime < 0 ? EXPIRED : (int) exptime;
  }
}
