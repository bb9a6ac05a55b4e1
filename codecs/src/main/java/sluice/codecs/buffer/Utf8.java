package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;

/**
 * Whether bytes are UTF-8 as Java's decoder takes it without replacing any (Unicode's table 3-7):
 * no surrogates, nothing longer than it must be, nothing above U+10FFFF. The bytes may come in
 * pieces that cut characters. One instance, used again and again.
 */
public final class Utf8 {
  private static final long NOT_ASCII = 0x8080_8080_8080_8080L;

  private int missing; // bytes of the character that has begun
  private int least; // of the next of them
  private int most;

  /** Begins anew. */
  public Utf8 reset() {
    missing = 0;
    return this;
  }

  /** Whether the bytes [from, to) may follow those before. Borrows in. */
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

  /** Whether no character is left without its end. */
  public boolean isWhole() {
    return missing == 0;
  }

  /** Whether the bytes [from, to) are whole characters. Borrows in. */
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
