package sluice.codecs.buffer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.internal.PlatformDependent;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Writes the fields of a head one behind the other. Where its bytes go, and that there is room, is
 * found out once for all of them: a {@link ByteBuf} asks for both again with each field, through as
 * many buffers as it is a slice of.
 *
 * <p>One instance, used again and again: {@link #into}, fields, {@link #done}. It allocates nothing
 * but what the buffer does to grow.
 */
public final class FieldWriter {
  private static final boolean DIRECT =
      PlatformDependent.hasUnsafe() && PlatformDependent.isUnaligned();
  private static final int SHORT = 64; // bytes
  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private ByteBuf out;
  private long address; // of index 0, or 0 where the buffer has none
  private int at;
  private int limit;

  /**
   * Begins behind what a buffer holds. Borrows it until {@link #done}.
   *
   * @param room bytes that the fields need at most; out grows by them now
   */
  public FieldWriter into(ByteBuf buffer, int room) {
    buffer.ensureWritable(room);
    if (out != buffer) { // a reference costs the collector's barrier
      out = buffer;
    }
    address = DIRECT && buffer.hasMemoryAddress() ? buffer.memoryAddress() : 0;
    at = buffer.writerIndex();
    limit = at + room;
    return this;
  }

  /**
   * Ends: what was written is now part of the buffer, which is given back. The writer still knows
   * it, but has no room in it.
   */
  public void done() {
    out.writerIndex(at);
    limit = at;
  }

  /** The lowest 8 bits. */
  public FieldWriter int8(int value) {
    int index = take(1);
    if (address != 0) {
      PlatformDependent.putByte(address + index, (byte) value);
    } else {
      out.setByte(index, value);
    }
    return this;
  }

  /** The lowest 16 bits, big endian. */
  public FieldWriter int16(int value) {
    put16(take(2), value);
    return this;
  }

  /** Big endian. */
  public FieldWriter int32(int value) {
    put32(take(4), value);
    return this;
  }

  /** Big endian. */
  public FieldWriter int64(long value) {
    put64(take(8), value);
    return this;
  }

  /** The lowest 16 bits, little endian. */
  public FieldWriter int16LittleEndian(int value) {
    put16(take(2), Short.reverseBytes((short) value));
    return this;
  }

  /** Little endian. */
  public FieldWriter int32LittleEndian(int value) {
    put32(take(4), Integer.reverseBytes(value));
    return this;
  }

  /** Little endian. */
  public FieldWriter int64LittleEndian(long value) {
    put64(take(8), Long.reverseBytes(value));
    return this;
  }

  /**
   * The first {@code length} bytes of a word, big endian: several short fields, or one whose length
   * varies, at the price of one.
   *
   * @param length 0 to 8
   */
  public FieldWriter first(long word, int length) {
    int start = at;
    if (limit - start >= Long.BYTES) {
      put64(start, word); // what is too much is written over by the next field, or is not counted
      at = start + length;
      return this;
    }
    int index = take(length);
    for (int i = 0; i < length; i++) {
      out.setByte(index + i, (int) (word >>> (56 - 8 * i)));
    }
    return this;
  }

  /** A range of another buffer, which is borrowed. */
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

  /** By words, of which the last two may overlap: copying memory costs a call. */
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

  /** All of an array. */
  public FieldWriter bytes(byte[] from) {
    out.setBytes(take(from.length), from);
    return this;
  }

  /**
   * Characters in UTF-8.
   *
   * @param length what {@link ByteBufUtil#utf8Bytes} says of them
   */
  public FieldWriter utf8(CharSequence text, int length) {
    out.setCharSequence(take(length), text, UTF_8);
    return this;
  }

  private int take(int length) {
    int index = at;
    if (length > limit - index) {
      throw new IndexOutOfBoundsException(
          length + " bytes more, where " + (limit - index) + " are left of what was asked for");
    }
    at = index + length;
    return index;
  }

  private void put16(int index, int value) {
    if (address != 0) {
      short ordered = (short) value;
      PlatformDependent.putShort(address + index, LITTLE ? Short.reverseBytes(ordered) : ordered);
    } else {
      out.setShort(index, value);
    }
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
