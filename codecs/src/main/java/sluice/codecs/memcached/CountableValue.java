package sluice.codecs.memcached;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.SliceList;

/**
 * Test for values that memcached can increment ({@code safe_strtoull} in its util.c). Such a value
 * consists of white space, a sign and digits, and then ends or continues with white space or a NUL.
 * Anything may follow. When memcached increments it, it overwrites the rest with spaces. It also
 * pads a number that has become shorter with spaces.
 */
public final class CountableValue {
  private CountableValue() {}

  /**
   * Whether memcached can increment the value. Also true for a few values that it refuses, such as
   * negative numbers and those of more than 64 bits. Borrows value.
   */
  public static boolean is(SliceList value) {
    boolean begun = false;
    boolean digits = false;
    for (int i = 0; i < value.count(); i++) { // a search for each offset would take long
      ByteBuf slice = value.get(i);
      for (int at = slice.readerIndex(); at < slice.writerIndex(); at++) {
        byte next = slice.getByte(at);
        if (isDigit(next)) {
          begun = true;
          digits = true;
        } else if (begun) {
          return digits && (isSpace(next) || next == 0);
        } else if (next == '+' || next == '-') {
          begun = true;
        } else if (!isSpace(next)) {
          return false;
        }
      }
    }
    return digits;
  }

  private static boolean isDigit(byte value) {
    return value >= '0' && value <= '9';
  }

  /** Equivalent of C's isspace(). */
  private static boolean isSpace(byte value) {
    return value == ' ' || (value >= '\t' && value <= '\r');
  }
}
