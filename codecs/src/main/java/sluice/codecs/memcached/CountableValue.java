package sluice.codecs.memcached;

import sluice.codecs.buffer.ByteQueue;

/**
 * Which values memcached can increment ({@code safe_strtoull} in its util.c): white space, a sign,
 * digits, and then the value's end, white space or a NUL, whatever follows. It counts with the
 * number and overwrites the rest by spaces, with which it also fills up a number that has become
 * shorter.
 */
public final class CountableValue {
  private CountableValue() {}

  /**
   * Whether memcached may count with the value; also true of a few with which it does not, as
   * negative numbers and those of more than 64 bits. Borrows value.
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
    return at > digits && (at == length || isSpace(value.getByte(at)) || value.getByte(at) == 0);
  }

  private static boolean isDigit(byte value) {
    return value >= '0' && value <= '9';
  }

  /** C's isspace(). */
  private static boolean isSpace(byte value) {
    return value == ' ' || (value >= '\t' && value <= '\r');
  }
}
