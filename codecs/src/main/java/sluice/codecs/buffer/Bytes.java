package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;

/**
 * Copies between buffers without the NIO views that {@link ByteBuf#writeBytes(ByteBuf)} and {@link
 * ByteBuf#setBytes(int, ByteBuf)} make of direct ones.
 */
public final class Bytes {
  private Bytes() {}

  /** Appends the bytes [from, from + length) of source. Borrows both. */
  public static void append(ByteBuf source, int from, int length, ByteBuf to) {
    to.ensureWritable(length);
    int at = to.writerIndex();
    source.getBytes(from, to, at, length);
    to.writerIndex(at + length);
  }

  /** Puts the bytes [from, from + length) of source at an index of a buffer. Borrows both. */
  public static void set(ByteBuf source, int from, int length, ByteBuf to, int index) {
    source.getBytes(from, to, index, length);
  }
}
