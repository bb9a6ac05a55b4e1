package sluice.codecs.buffer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.internal.PlatformDependent;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Writer of a header's fields, one after another. It finds the memory address and ensures the
 * capacity once for all fields. A {@link ByteBuf} does both for each field, and for each buffer it
 * is a slice of.
 *
 * <p>One instance, used again and again: {@link #into}, fields, {@link #done}. It allocates nothing
 * except when the buffer grows.
 */
public final class FieldWriter {
  private static final boolean DIRECT =
      PlatformDependent.hasUnsafe() && PlatformDependent.isUnaligned();
  private static final int SHORT = 64; // bytes
  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private ByteBuf out = Unpooled.EMPTY_BUFFER;
  private long address; // of index 0; 0 where the buffer has none
  private int at;
  private int limit;

  /**
   * Begins after the buffer's readable bytes. Borrows out until {@link #done}.
   *
   * @param room the most bytes that the fields need; out grows by them now
   */
  public FieldWriter into(ByteBuf buffer, int room) {
    buffer.ensureWritable(room);
    if (out != buffer) { // storing a reference costs a write barrier of the collector
      out = buffer;
    }
    address = DIRECT && buffer.hasMemoryAddress() ? buffer.memoryAddress() : 0;
    at = buffer.writerIndex();
    limit = at + room;
    return this;
  }

  /**
   * Ends the fields: they become readable bytes of the buffer, which is no longer borrowed. The
   * writer keeps the reference, but writes nothing until {@link #into}.
   */
  public void done() {
    out.writerIndex(at);
    limit = at;
  }

  /** Writes the lowest 8 bits. */
  public FieldWriter int8(int value) {
    int index = take(1);
    if (address != 0) {
      PlatformDependent.putByte(address + index, (byte) value);
    } else {
      out.setByte(index, value);
    }
    return this;
  }

  /** Writes 32 bits, big endian. */
  public FieldWriter int32(int value) {
    put32(take(4), value);
    return this;
  }

  /** Writes 64 bits, big endian. */
  public FieldWriter int64(long value) {
    put64(take(8), value);
    return this;
  }

  /**
   * Writes the first {@code length} bytes of a word, big endian: several short fields, or one of
   * variable length, at the cost of one.
   *
   * @param length 0 to 8
   */
  public FieldWriter first(long word, int length) {
    int start = at;
    if (limit - start >= Long.BYTES) {
      put64(start, word); // the next field overwrites the excess, or it is not counted
      at = start + length;
      return this;
    }
    int index = take(length);
    for (int i = 0; i < length; i++) {
      out.setByte(index + i, (int) (word >>> (56 - 8 * i)));
    }
    return this;
  }

  /** Writes a range of another buffer, which is borrowed. */
  public FieldWriter bytes(ByteBuf from, int index, int length) {
    int start = take(length);
    if (length <= SHORT && address != 0 && from.hasMemoryAddress()) {
      Objects.checkFromIndexSize(index, length, from.capacity());
      copyShort(from.memoryAddress() + index, address + start, length);
    } else {
      Bytes.set(from, index, length, out, start);
    }
    return this;
  }

  /** Copies in words; the last two may overlap. A call of the memory-copy routine costs more. */
  private static void copyShort(long from, long to, int length) {
    int i = 0;
    for (; i <= length - Long.BYTES; i += Long.BYTES) {
      PlatformDependent.putLong(to + i, PlatformDependent.getLong(from + i));
    }
    if (length >= Long.BYTES) {
      int last = length - Long.BYTES;
      PlatformDependent.putLong(to + last, PlatformDependent.getLong(from + last));
      return;
    }
    for (; i < length; i++) {
      PlatformDependent.putByte(to + i, PlatformDependent.getByte(from + i));
    }
  }

  /** Writes all of an array. */
  public FieldWriter bytes(byte[] from) {
    out.setBytes(take(from.length), from);
    return this;
  }

  /**
   * Writes characters in UTF-8.
   *
   * @param length the result of {@link ByteBufUtil#utf8Bytes} for them
   */
  public FieldWriter utf8(CharSequence text, int length) {
    out.setCharSequence(take(length), text, UTF_8);
    return this;
  }

  private int take(int length) {
    int index = at;
    if (length > limit - index) {
      throw new IndexOutOfBoundsException(
          length + " bytes more, but only " + (limit - index) + " of the reserved bytes are left");
    }
    at = index + length;
    return index;
  }

  private void put32(int index, int value) {
    if (address != 0) {
      PlatformDependent.putInt(address + index, LITTLE ? Integer.reverseBytes(value) : value);
    } else {
      out.setInt(index, value);
    }
  }

  private void put64(int index, long value) {
    if (address != 0) {
      PlatformDependent.putLong(address + index, LITTLE ? Long.reverseBytes(value) : value);
    } else {
      out.setLong(index, value);
    }
  }
}
