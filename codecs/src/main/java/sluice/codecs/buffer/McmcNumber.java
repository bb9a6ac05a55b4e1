package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;

/**
 * Decimals as memcached reads them from 1.6.40 on (mcmc_tokto32, mcmc_toktou32, mcmc_toktou64).
 * They are digits, which signed numbers have an optional minus sign before, and never a plus sign.
 * A minus sign alone is 0. Numbers with too many characters are invalid, even if the value is
 * small. Methods borrow the buffer and move no index.
 */
public final class McmcNumber {
  private static final int MOST_CHARACTERS = 11; // of 32 bits
  private static final int MOST_CHARACTERS_OF_LONG = 22;

  private McmcNumber() {}

  /** Whether [from, to) is a signed number of 32 bits. */
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

  /**
   * Whether [from, to) is an unsigned number of 32 bits, which {@link AsciiNumber#unsigned} reads.
   */
  public static boolean isUnsignedInt(ByteBuf buffer, int from, int to) {
    return to - from <= MOST_CHARACTERS
        && AsciiNumber.isUnsigned(buffer, from, to)
        && AsciiNumber.unsigned(buffer, from, to) >>> Integer.SIZE == 0;
  }

  /**
   * Whether [from, to) is an unsigned number of 64 bits, which {@link AsciiNumber#unsigned} reads.
   */
  public static boolean isUnsignedLong(ByteBuf buffer, int from, int to) {
    return to - from <= MOST_CHARACTERS_OF_LONG && AsciiNumber.isUnsigned(buffer, from, to);
  }

  private static boolean isMinus(ByteBuf buffer, int from, int to) {
    return to - from == 1 && buffer.getByte(from) == '-';
  }
}
