package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Cursor over the params of a {@link MessageHeader}, which owns it. It borrows the header's buffer.
 * Allocates nothing.
 */
public final class MessageParams {
  private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
  private int left;
  private int next;
  private long type;
  private int index;
  private int length;

  MessageParams() {}

  /**
   * Skips the given number of params from index on. Returns the index after the last, or -1 if they
   * do not end before limit.
   */
  static int skip(ByteBuf buffer, int index, int count, int limit) {
    int at = index;
    for (int i = 0; i < count; i++) {
      int two = limit - at >= 2 ? buffer.getShort(at) : -1;
      int length;
      if ((two & 0x8080) == 0) {
        at += 2;
        length = two & 0xFF;
      } else {
        int lengthIndex = Vint.skipShortest(buffer, at, limit);
        at = lengthIndex < 0 ? -1 : Vint.skipShortest(buffer, lengthIndex, limit);
        if (at < 0) {
          return -1;
        }
        length = Vint.int31(Vint.get(buffer, lengthIndex), "bytes of a param");
      }
      if (length > limit - at) {
        return -1;
      }
      at += length;
    }
    return at;
  }

  /** Moves before the first of the params at an index, which must have arrived completely. */
  MessageParams rewind(ByteBuf buffer, int index, int count) {
    this.buffer = buffer;
    left = count;
    next = index;
    return this;
  }

  /** Moves to the next param; false after the last. */
  public boolean next() {
    if (left == 0) {
      return false;
    }
    left--;
    int two = buffer.getShort(next);
    if ((two & 0x8080) == 0) {
      type = (byte) (two >> 8);
      length = two & 0xFF;
      index = next + 2;
    } else {
      type = Vint.get(buffer, next);
      int lengthIndex = next + Vint.lengthOf(buffer.getByte(next));
      length = (int) Vint.get(buffer, lengthIndex);
      index = lengthIndex + Vint.lengthOf(buffer.getByte(lengthIndex));
    }
    next = index + length;
    return true;
  }

  /** {@code ParamType} of the param that {@link #next} moved to. */
  public long type() {
    return type;
  }

  /** Index of its value. */
  public int index() {
    return index;
  }

  /** Bytes of its value. */
  public int length() {
    return length;
  }
}
