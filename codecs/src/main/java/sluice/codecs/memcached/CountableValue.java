package sluice.codecs.memcached;

import sluice.codecs.buffer.ByteQueue;

/**
 * Which values are numbers that memcached can increment ({@code safe_strtoull} in its util.c):
 * white space, a sign, digits, and behind these nothing but white space, with which memcached fills
 * up a number that has become shorter. It also counts with the number that a text begins with, and
 * overwrites the text by spaces: that is not looked for here.
 */
public final class CountableValue {
  private CountableValue() {}

  /**
   * Whether the value is a number; also true of a few with which memcached does not count, as those
   * of more than 64 bits. Borrows value.
   */
  public static boolean is(ByteQueue value) {
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
    boolean any = at > digits;
    while (at < length && isSpace(value.getByte(at))) {
      at++;
    }
    return any && at == length;
  }

  private static boolean isDigit(byte value) {
    return value >= '0' && value <= '9';
  }

  /** C's isspace(). */
  private static boolean isSpace(byte value) {
    return value == ' ' || (value >= '\t' && value <= '\r');
  }
}
