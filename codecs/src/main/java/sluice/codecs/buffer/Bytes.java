package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;

/**
 * Copies between buffers, and reads of whole words.
 *
 * <p>{@link ByteBuf#writeBytes(ByteBuf)} and {@link ByteBuf#setBytes(int, ByteBuf)} create NIO
 * views of direct buffers; these copies do not. Reading by the word saves the reference count and
 * bounds checks that a buffer makes for each read.
 */
public final class Bytes {
  private static final long ONES = 0x0101010101010101L;
  private static final long LOW_BITS = 0x7F7F7F7F7F7F7F7FL;

  private static final int SMALL_PART = 4;

  private Bytes() {}

  /** A word whose eight bytes are all the given one. */
  public static long eight(char ascii) {
    return ascii * ONES;
  }

  /** A word with 0x80 in each byte in which the two words are equal, and 0 in all others. */
  public static long equal(long word, long other) {
    long differs = word ^ other;
    return ~(((differs & LOW_BITS) + LOW_BITS) | differs | LOW_BITS);
  }

  /**
   * Whether length bytes are a small part of the buffer behind source, so that keeping a copy is
   * better than a slice. A slice retains the whole buffer, but is accounted for by its own length.
   */
  public static boolean isSmallPartOf(ByteBuf source, int length) {
    ByteBuf whole = source;
    for (ByteBuf outer = whole; outer != null; outer = outer.unwrap()) {
      whole = outer;
    }
    return length < whole.capacity() / SMALL_PART;
  }

  /**
   * The last {@code count} bytes before index {@code to}, 0 to 7 of them, big endian. Borrows
   * buffer.
   */
  public static long before(ByteBuf buffer, int to, int count) {
    if (count == 0) {
      return 0;
    }
    if (to >= Long.BYTES) { // the bytes before them are in the buffer, too
      return buffer.getLong(to - Long.BYTES) & ((1L << (8 * count)) - 1);
    }
    long bytes = 0;
    for (int i = to - count; i < to; i++) {
      bytes = (bytes << 8) | (buffer.getByte(i) & 0xFF);
    }
    return bytes;
  }

  /** Appends the bytes [from, from + length) of source. Borrows both. */
  public static void append(ByteBuf source, int from, int length, ByteBuf to) {
    to.ensureWritable(length);
    int at = to.writerIndex();
    source.getBytes(from, to, at, length);
    to.writerIndex(at + length);
  }

  /** Copies the bytes [from, from + length) of source to an index of a buffer. Borrows both. */
  public static void set(ByteBuf source, int from, int length, ByteBuf to, int index) {
    source.getBytes(from, to, index, length);
  }
}
