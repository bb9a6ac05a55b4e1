package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;

/**
 * Decimal numbers of a token as memcached reads them with C's strtol and strtoul (safe_strtol in
 * its util.c). The number may follow whitespace and a sign. Whitespace or a NUL after it ends it,
 * and the rest of the token is ignored. So {@code 5\t}, {@code 5\r} and {@code +5} are all 5.
 *
 * <p>Values are held in a {@code long}; unsigned 64-bit values are compared with {@link
 * Long#compareUnsigned}. Methods borrow the buffer and move no index.
 */
public final class StrtolNumber {
  private StrtolNumber() {}

  /** Whether [from, to) begins with a decimal that fits 64 bits signed. */
  public static boolean isSigned(ByteBuf buffer, int from, int to) {
    if (AsciiNumber.isSigned(buffer, from, to)) {
      return true;
    }
    int start = start(buffer, from, to);
    int end = end(buffer, start, to);
    return isEnd(buffer, end, to) && AsciiNumber.isSigned(buffer, start, end);
  }

  /** The signed value of [from, to), which {@link #isSigned} must have accepted. */
  public static long signed(ByteBuf buffer, int from, int to) {
    return value(buffer, from, to);
  }

  /**
   * Whether [from, to) begins with a decimal that strtoul and the check after it accept: 64 bits
   * unsigned. With a minus, the value wraps, and must then be less than 2^63.
   */
  public static boolean isUnsigned(ByteBuf buffer, int from, int to) {
    if (AsciiNumber.isUnsigned(buffer, from, to)) {
      return true;
    }
    int start = start(buffer, from, to);
    int end = end(buffer, start, to);
    int digits = digits(buffer, start, end);
    return isEnd(buffer, end, to)
        && AsciiNumber.isUnsigned(buffer, digits, end)
        && (buffer.getByte(start) != '-' || -AsciiNumber.unsigned(buffer, digits, end) >= 0);
  }

  /** The unsigned value of [from, to), which {@link #isUnsigned} must have accepted. */
  public static long unsigned(ByteBuf buffer, int from, int to) {
    return value(buffer, from, to);
  }

  private static long value(ByteBuf buffer, int from, int to) {
    int start = start(buffer, from, to);
    long value = 0;
    for (int i = digits(buffer, start, to); i < to; i++) {
      int digit = buffer.getByte(i) - '0';
      if (digit < 0 || digit > 9) {
        break;
      }
      value = value * 10 + digit;
    }
    return buffer.getByte(start) == '-' ? -value : value;
  }

  /** The index after the whitespace that the token begins with. */
  private static int start(ByteBuf buffer, int from, int to) {
    int start = from;
    while (start < to && isSpace(buffer.getByte(start))) {
      start++;
    }
    return start;
  }

  private static int digits(ByteBuf buffer, int start, int to) {
    boolean signed = start < to && (buffer.getByte(start) == '-' || buffer.getByte(start) == '+');
    return signed ? start + 1 : start;
  }

  /** The index after the sign and the digits. */
  private static int end(ByteBuf buffer, int start, int to) {
    int end = digits(buffer, start, to);
    while (end < to && buffer.getByte(end) >= '0' && buffer.getByte(end) <= '9') {
      end++;
    }
    return end;
  }

  private static boolean isEnd(ByteBuf buffer, int end, int to) {
    return end == to || buffer.getByte(end) == 0 || isSpace(buffer.getByte(end));
  }

  /** As C's isspace: blank, tab, line feed, vertical tab, form feed, carriage return. */
  private static boolean isSpace(byte character) {
    return character == ' ' || (character >= '\t' && character <= '\r');
  }
}
