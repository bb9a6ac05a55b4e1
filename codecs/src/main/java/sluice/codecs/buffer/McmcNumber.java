package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;

/**
 * Signed 32-bit decimals as memcached reads them from 1.6.40 on (mcmc_tokto32): at most 11
 * characters, digits with an optional minus sign, never a plus sign. A minus sign alone is 0.
 * Methods borrow the buffer and move no index.
 */
public final class McmcNumber {
  /** The most characters of a number; more are invalid, even if the value is small. */
  private static final int MOST_CHARACTERS = 11;

  private McmcNumber() {}

  /** Whether [from, to) is such a number. */
  public static boolean isInt(ByteBuf buffer, int from, int to) {
    if (from >= to || to - from > MOST_CHARACTERS || buffer.getByte(from) == '+') {
      return false;
    }
    if (isMinus(buffer, from, to)) {
      return true;
    }
    if (!AsciiNumber.isSigned(buffer, from, to)) {
      return false;
    }
    long value = AsciiNumber.signed(buffer, from, to);
    return value == (int) value;
  }

  /** The value of [from, to), which {@link #isInt} must have accepted. */
  public static int intValue(ByteBuf buffer, int from, int to) {
    return isMinus(buffer, from, to) ? 0 : (int) AsciiNumber.signed(buffer, from, to);
  }

  private static boolean isMinus(ByteBuf buffer, int from, int to) {
    return to - from == 1 && buffer.getByte(from) == '-';
  }
}
