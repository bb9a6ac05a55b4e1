package sluice.codecs.memcached.bridge;

/**
 * Time to live in one form for all dialects (memcached's protocol.txt, "Expiration times"). 0 means
 * never. A value up to {@link #MOST_RELATIVE} is seconds from now; a larger one is seconds since
 * 1970, up to 32 bits unsigned. A negative value has already expired. Relative times are never made
 * absolute: the server's clock decides.
 */
public final class Exptime {
  /** Thirty days, in seconds. */
  public static final int MOST_RELATIVE = 60 * 60 * 24 * 30;

  /**
   * An expired time where none can be negative, as in the binary protocol's unsigned 32 bits: a
   * second of 1970.
   */
  public static final int EXPIRED = MOST_RELATIVE + 1;

  private Exptime() {}

  /** From a decimal in a text or meta request, of which memcached keeps 32 bits, signed. */
  public static long ofText(long decimal) {
    return (int) decimal;
  }

  /** From a field of a binary request. */
  public static long ofBinary(int field) {
    return Integer.toUnsignedLong(field);
  }

  /**
   * From an item's remaining seconds as a server reports them: -1 for no end.
   *
   * @param now seconds since 1970, to express times too long to be relative
   */
  public static long ofLeft(long seconds, long now) {
    if (seconds < 0) {
      return 0;
    }
    return seconds > MOST_RELATIVE ? now + seconds : Math.max(1, seconds);
  }

  /** Whether an item that gets this time expires at once: now is in seconds since 1970. */
  public static boolean hasPassed(long exptime, long now) {
    return exptime < 0 || (exptime > MOST_RELATIVE && exptime <= now);
  }

  /**
   * For a text or meta request: times from 2038 on, which exceed its signed 32 bits, become never.
   */
  public static long toText(long exptime) {
    return exptime > Integer.MAX_VALUE ? 0 : Math.max(exptime, -1);
  }

  /**
   * For a flush_all, which 0 would execute immediately: times from 2038 on become the last second
   * of its signed 32 bits.
   */
  public static long toFlush(long exptime) {
    return Math.max(-1, Math.min(exptime, Integer.MAX_VALUE));
  }

  /** For a field of a binary request. */
  public static int toBinary(long exptime) {
    return exptime < 0 ? EXPIRED : (int) exptime;
  }
}
