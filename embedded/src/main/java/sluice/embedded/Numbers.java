package sluice.embedded;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;

/**
 * Numbers of command lines as memcached 1.6.45 reads them. They consist of digits, with a minus if
 * the number is signed and never a plus. They have at most as many characters as the widest number
 * (11 for 32 bits, 22 for 64).
 */
final class Numbers {
  /** Not a number of that kind. */
  static final long INVALID = Long.MIN_VALUE;

  private static final int MAX_LENGTH_32 = 11;
  private static final int MAX_LENGTH_64 = 22;

  private Numbers() {}

  /**
   * The signed 32-bit number [from, to), or {@link #INVALID}. A lone minus is 0, as in memcached.
   */
  static long signed32(ByteBuf buffer, int from, int to) {
    if (from >= to || to - from > MAX_LENGTH_32) {
      return INVALID;
    }
    boolean negative = buffer.getByte(from) == '-';
    long value = 0;
    for (int i = negative ? from + 1 : from; i < to; i++) {
      int digit = buffer.getByte(i) - '0';
      if (digit < 0 || digit > 9) {
        return INVALID;
      }
      value = value * 10 + digit;
    }
    value = negative ? -value : value;
    return value == (int) value ? value : INVALID;
  }

  /** The unsigned 32-bit number [from, to), or {@link #INVALID}. */
  static long unsigned32(ByteBuf buffer, int from, int to) {
    if (to - from > MAX_LENGTH_32 || !AsciiNumber.isUnsigned(buffer, from, to)) {
      return INVALID;
    }
    long value = AsciiNumber.unsigned(buffer, from, to);
    return value >>> Integer.SIZE == 0 ? value : INVALID;
  }

  /** Whether [from, to) is an unsigned 64-bit number, which AsciiNumber.unsigned then reads. */
  static boolean isUnsigned64(ByteBuf buffer, int from, int to) {
    return to - from <= MAX_LENGTH_64 && AsciiNumber.isUnsigned(buffer, from, to);
  }

  /**
   * The client flags of a classic storage line, which memcached reads with C's strtoul. A plus is
   * allowed, and a number beyond 32 bits wraps.
   */
  static long flags(ByteBuf buffer, int from, int to) {
    int start = from < to && buffer.getByte(from) == '+' ? from + 1 : from;
    if (!AsciiNumber.isUnsigned(buffer, start, to)) {
      return INVALID;
    }
    return AsciiNumber.unsigned(buffer, start, to) & 0xFFFF_FFFFL;
  }

  /** The exptime of a classic storage line, read with C's strtol: a number beyond 32 bits wraps. */
  static long exptime(ByteBuf buffer, int from, int to) {
    if (!AsciiNumber.isSigned(buffer, from, to)) {
      return INVALID;
    }
    return (int) AsciiNumber.signed(buffer, from, to);
  }
}
