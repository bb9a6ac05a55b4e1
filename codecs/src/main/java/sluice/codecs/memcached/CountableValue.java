package sluice.codecs.memcached;

import sluice.codecs.buffer.SliceList;

/**
 * Test for values that memcached can increment ({@code safe_strtoull} in its util.c). Such a value
 * is white space, a sign and digits, and then its end, white space or a NUL. Anything may follow.
 * When memcached increments it, it overwrites the rest with spaces. It also pads with spaces a
 * number that has become shorter.
 */
public final class CountableValue {
  private CountableValue() {}

  /**
   * Whether memcached may count with the value. Also true for a few values that it refuses, such as
   * negative numbers and those of more than 64 bits. Borrows value.
   */
  public static boolean is(SliceList value) {
    int length = value.length();
    int at = 0;
    while (at < length && isSpace(value.getByte(at))) {
      at++;
    }
    if (at < length && (value.getByte(at) == '+' || value.getByte(at) == '-')) {
      at++;
    }
    int digits = at;
    while (at < length && isDigit(value.getByte(at))) {
      at++;
    }
    return at > digits && (at == length || isSpace(value.getByte(at)) || value.getByte(at) == 0);
  }

  private static boolean isDigit(byte value) {
    return value >= '0' && value <= '9';
  }

  /** Equivalent of C's isspace(). */
  private static boolean isSpace(byte value) {
    return value == ' ' || (value >= '\t' && value <= '\r');
  }
}
