package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.buffer.Bytes;

/**
 * Range of the bytes of a borrowed buffer, [from, to): a key, or a part of a reply. The object that
 * it is a part of makes it once, and sets it again and again.
 */
public final class ByteRange {
  public ByteBuf buffer = Unpooled.EMPTY_BUFFER;
  public int from;
  public int to;

  /** Makes the range empty. */
  void reset() {
    set(Unpooled.EMPTY_BUFFER, 0, 0);
  }

  /** Sets the range. Borrows buffer. */
  public void set(ByteBuf buffer, int from, int to) {
    this.buffer = buffer;
    this.from = from;
    this.to = to;
  }

  /** Copies another range, of the same buffer. */
  public void set(ByteRange other) {
    set(other.buffer, other.from, other.to);
  }

  /**
   * Appends the bytes of another range to store, and becomes the range of the copy. Borrows store.
   */
  void keep(ByteRange other, ByteBuf store) {
    int at = store.writerIndex();
    store.writeBytes(other.buffer, other.from, other.length());
    set(store, at, store.writerIndex());
  }

  /**
   * If its bytes were in old, follows them to another buffer, where they are {@code by} bytes
   * later. Borrows moved.
   */
  void moved(ByteBuf old, ByteBuf moved, int by) {
    if (buffer == old) {
      set(moved, from + by, to + by);
    }
  }

  /** The number of its bytes. */
  public int length() {
    return to - from;
  }

  /** A copy of its bytes. */
  public byte[] bytes() {
    byte[] bytes = new byte[length()];
    buffer.getBytes(from, bytes);
    return bytes;
  }

  /** Appends its bytes. Borrows out. */
  void appendTo(ByteBuf out) {
    Bytes.append(buffer, from, length(), out);
  }
}
