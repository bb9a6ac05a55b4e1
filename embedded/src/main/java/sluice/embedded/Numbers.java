package sluice.embedded;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.buffer.McmcNumber;
import sluice.codecs.buffer.StrtolNumber;

/**
 * Numbers of command lines as memcached 1.6.45 reads them. They consist of digits, with a minus if
 * the number is signed, and never have a plus. They have at most as many characters as the widest
 * number (11 for 32 bits, 22 for 64).
 */
final class Numbers {
  /** Not a number of that kind. */
  static final long INVALID = Long.MIN_VALUE;

  private Numbers() {}

  /**
   * The signed 32-bit number [from, to), or {@link #INVALID}. A lone minus is 0, as in memcached.
   */
  static long signed32(ByteBuf buffer, int from, int to) {
    return McmcNumber.isInt(buffer, from, to) ? McmcNumber.intValue(buffer, from, to) : INVALID;
  }

  /** The unsigned 32-bit number [from, to), or {@link #INVALID}. */
  static long unsigned32(ByteBuf buffer, int from, int to) {
    return McmcNumber.isUnsignedInt(buffer, from, to)
        ? AsciiNumber.unsigned(buffer, from, to)
        : INVALID;
  }

  /** Whether [from, to) is an unsigned 64-bit number, which AsciiNumber.unsigned then reads. */
  static boolean isUnsigned64(ByteBuf buffer, int from, int to) {
    return McmcNumber.isUnsignedLong(buffer, from, to);
  }

  /**
   * The client flags of a classic storage line, which memcached reads with C's strtoul: a number
   * beyond 32 bits wraps.
   */
  static long flags(ByteBuf buffer, int from, int to) {
    return StrtolNumber.isUnsigned(buffer, from, to)
        ? StrtolNumber.unsigned(buffer, from, to) & 0xFFFF_FFFFL
        : INVALID;
  }

  /** The exptime of a classic storage line, read with C's strtol: a number beyond 32 bits wraps. */
  static long exptime(ByteBuf buffer, int from, int to) {
    return StrtolNumber.isSigned(buffer, from, to)
        ? (int) StrtolNumber.signed(buffer, from, to)
        : INVALID;
  }
}
