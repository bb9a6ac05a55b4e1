package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;

/**
 * Validator of UTF-8, as strict as Java's decoder (Unicode's table 3-7): no surrogates, no overlong
 * forms, nothing above U+10FFFF. The bytes may come in parts that cut characters. One instance,
 * used again and again.
 */
public final class Utf8 {
  private static final long NOT_ASCII = 0x8080_8080_8080_8080L;

  private int missing; // bytes that complete the current character
  private int least; // the least allowed value of the next of them
  private int most;

  /** Begins a new text. */
  public Utf8 reset() {
    missing = 0;
    return this;
  }

  /** Whether the bytes [from, to) are a valid continuation of the bytes before. Borrows in. */
  public boolean accepts(ByteBuf in, int from, int to) {
    int at = from;
    while (at < to) {
      if (missing == 0 && to - at >= Long.BYTES && (in.getLong(at) & NOT_ASCII) == 0) {
        at += Long.BYTES;
      } else if (!accepts(in.getUnsignedByte(at++))) {
        return false;
      }
    }
    return true;
  }

  /** Whether the last character is complete. */
  public boolean isWhole() {
    return missing == 0;
  }

  /** Whether the bytes [from, to) are valid and complete characters. Borrows in. */
  public boolean isValid(ByteBuf in, int from, int to) {
    return reset().accepts(in, from, to) && isWhole();
  }

  private boolean accepts(int value) {
    if (missing > 0) {
      if (value < least || value > most) {
        return false;
      }
      missing--;
      least = 0x80;
      most = 0xBF;
      return true;
    }
    if (value < 0x80) {
      return true;
    }
    missing = value < 0xE0 ? 1 : value < 0xF0 ? 2 : 3;
    least = value == 0xE0 ? 0xA0 : value == 0xF0 ? 0x90 : 0x80;
    most = value == 0xED ? 0x9F : value == 0xF4 ? 0x8F : 0xBF;
    return value >= 0xC2 && value <= 0xF4;
  }
}
