package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;

/**
 * Decimal numbers as ASCII digits, read and written in place: no {@code String}, no boxing.
 *
 * <p>Unsigned 64-bit values are held in a {@code long}; compare them with {@link
 * Long#compareUnsigned}.
 */
public final class AsciiNumber {
  private static final long MAX_BEFORE_LAST_DIGIT = Long.divideUnsigned(-1L, 10);
  private static final int MAX_LAST_DIGIT = (int) Long.remainderUnsigned(-1L, 10);

  private static final int MOST_DIGITS_OF_INT = 10;

  private static final long LEAST_OF_20_DIGITS = Long.parseUnsignedLong("10000000000000000000");
  private static final long[] POWERS_OF_TEN = new long[18]; // from 10 to 10^18
  private static final short[] PAIRS = new short[100]; // "00" to "99"

  static {
    long power = 1;
    for (int i = 0; i < POWERS_OF_TEN.length; i++) {
      power *= 10;
      POWERS_OF_TEN[i] = power;
    }
    for (int i = 0; i < PAIRS.length; i++) {
      PAIRS[i] = (short) (('0' + i / 10) << 8 | ('0' + i % 10));
    }
  }

  private AsciiNumber() {}

  /**
   * Whether the bytes [from, to) are one or more digits whose value fits 64 bits unsigned. Borrows
   * buffer, moves no index.
   */
  public static boolean isUnsigned(ByteBuf buffer, int from, int to) {
    if (from >= to) {
      return false;
    }
    long value = 0;
    for (int i = from; i < to; i++) {
      int digit = buffer.getByte(i) - '0';
      if (digit < 0 || digit > 9) {
        return false;
      }
      int order = Long.compareUnsigned(value, MAX_BEFORE_LAST_DIGIT);
      if (order > 0 || (order == 0 && digit > MAX_LAST_DIGIT)) {
        return false;
      }
      value = value * 10 + digit;
    }
    return true;
  }

  /**
   * The unsigned 64-bit value of the digits [from, to), which {@link #isUnsigned} must have
   * accepted. Borrows buffer.
   */
  public static long unsigned(ByteBuf buffer, int from, int to) {
    long value = 0;
    for (int i = from; i < to; i++) {
      value = value * 10 + (buffer.getByte(i) - '0');
    }
    return value;
  }

  /** Whether [from, to) is a decimal with an optional sign that fits 64 bits signed. */
  public static boolean isSigned(ByteBuf buffer, int from, int to) {
    if (from < to && (buffer.getByte(from) == '-' || buffer.getByte(from) == '+')) {
      boolean negative = buffer.getByte(from) == '-';
      if (!isUnsigned(buffer, from + 1, to)) {
        return false;
      }
      long magnitude = unsigned(buffer, from + 1, to);
      return magnitude >= 0 || (negative && magnitude == Long.MIN_VALUE);
    }
    return isUnsigned(buffer, from, to) && unsigned(buffer, from, to) >= 0;
  }

  /** The signed value of [from, to), which {@link #isSigned} must have accepted. */
  public static long signed(ByteBuf buffer, int from, int to) {
    byte first = buffer.getByte(from);
    if (first == '-') {
      return -unsigned(buffer, from + 1, to);
    }
    return unsigned(buffer, first == '+' ? from + 1 : from, to);
  }

  /**
   * Whether [from, to) is a decimal as {@link #writeSigned} would write it, within 32 bits signed.
   */
  public static boolean isCanonicalInt(ByteBuf buffer, int from, int to) {
    int digits = from < to && buffer.getByte(from) == '-' ? from + 1 : from;
    if (to - digits > MOST_DIGITS_OF_INT || !isCanonicalUnsigned(buffer, digits, to)) {
      return false;
    }
    long value = signed(buffer, from, to);
    return value == (int) value && (digits == from || value != 0);
  }

  /** Whether [from, to) is a decimal as {@link #writeUnsigned} would write it. */
  public static boolean isCanonicalUnsigned(ByteBuf buffer, int from, int to) {
    return isUnsigned(buffer, from, to) && (to - from == 1 || buffer.getByte(from) != '0');
  }

  /** Appends the unsigned value as decimal digits. Borrows out. */
  public static void writeUnsigned(ByteBuf out, long value) {
    int digits = digits(value);
    out.ensureWritable(digits);
    int end = out.writerIndex() + digits;
    out.writerIndex(end);
    int i = end;
    long rest = value;
    if (rest < 0) { // 64 bits, which only an unsigned division could divide
      long quotient = (rest >>> 1) / 50;
      i -= 2;
      out.setShort(i, PAIRS[(int) (rest - quotient * 100)]);
      rest = quotient;
    }
    while (rest >= 100) {
      long quotient = rest / 100;
      i -= 2;
      out.setShort(i, PAIRS[(int) (rest - quotient * 100)]);
      rest = quotient;
    }
    if (rest >= 10) {
      out.setShort(i - 2, PAIRS[(int) rest]);
    } else {
      out.setByte(i - 1, '0' + (int) rest);
    }
  }

  /** Number of decimal digits of an unsigned value. */
  private static int digits(long value) {
    if (value < 0) {
      return Long.compareUnsigned(value, LEAST_OF_20_DIGITS) < 0 ? 19 : 20;
    }
    int digits = 1;
    while (digits <= POWERS_OF_TEN.length && value >= POWERS_OF_TEN[digits - 1]) {
      digits++;
    }
    return digits;
  }

  /** Appends the signed value as decimal digits. Borrows out. */
  public static void writeSigned(ByteBuf out, long value) {
    if (value < 0) {
      out.writeByte('-');
    }
    writeUnsigned(out, value < 0 ? -value : value);
  }
}
