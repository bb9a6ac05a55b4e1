package sluice.codecs.ignite;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import sluice.codecs.buffer.FieldWriter;

/**
 * Writes the fields of messages between nodes, as {@code DirectByteBufferStream} of Ignite 2.18.0
 * does: little endian; integers as their successor in LEB128, so that -1 is the shortest.
 *
 * <p>One instance, used again and again: {@link #into}, fields, {@link #done}. It allocates nothing
 * but what the buffer does to grow.
 */
public final class MessageFields {
  public static final int MAX_INT_LENGTH = 5;
  public static final int MAX_LONG_LENGTH = 10;

  /** Instead of the type of a message that is null. */
  public static final int NULL_TYPE = 0x8000;

  private final FieldWriter fields = new FieldWriter();

  /**
   * Begins behind what a buffer holds. Borrows it until {@link #done}.
   *
   * @param room bytes that the fields need at most
   */
  public MessageFields into(ByteBuf buffer, int room) {
    fields.into(buffer, room);
    return this;
  }

  /** Ends: the buffer is given back. */
  public void done() {
    fields.done();
  }

  /** The type of a message, in front of its fields. */
  public MessageFields type(int value) {
    return int16(value);
  }

  public MessageFields int8(int value) {
    fields.int8(value);
    return this;
  }

  public MessageFields bool(boolean value) {
    return int8(value ? 1 : 0);
  }

  /** The lowest 16 bits; a char too. */
  public MessageFields int16(int value) {
    fields.int16LittleEndian(value);
    return this;
  }

  /** Up to {@value #MAX_INT_LENGTH} bytes. */
  public MessageFields int32(int value) {
    return leb128((value + 1) & 0xFFFF_FFFFL);
  }

  /** Up to {@value #MAX_LONG_LENGTH} bytes. */
  public MessageFields int64(long value) {
    return leb128(value + 1);
  }

  public MessageFields float32(float value) {
    fields.int32LittleEndian(Float.floatToIntBits(value));
    return this;
  }

  public MessageFields float64(double value) {
    fields.int64LittleEndian(Double.doubleToLongBits(value));
    return this;
  }

  /** Length and bytes of an array, or that it is null. */
  public MessageFields bytes(byte[] value) {
    if (value == null) {
      return int32(-1);
    }
    int32(value.length);
    fields.bytes(value);
    return this;
  }

  /** Length and bytes of a string, or that it is null. */
  public MessageFields string(String value) {
    if (value == null) {
      return int32(-1);
    }
    int length = ByteBufUtil.utf8Bytes(value);
    int32(length);
    fields.utf8(value, length);
    return this;
  }

  /** Bytes that {@link #string} needs for a string at most. */
  public static int maxLength(String value) {
    return MAX_INT_LENGTH + ByteBufUtil.utf8MaxBytes(value);
  }

  private MessageFields leb128(long value) {
    if ((value & ~0x7FL) == 0) {
      fields.int8((int) value);
      return this;
    }
    long rest = value;
    long word = 0;
    int length = 0;
    do {
      if (length == Long.BYTES) {
        fields.first(word, length);
        word = 0;
        length = 0;
      }
      word |= ((rest & 0x7F) | (rest >>> 7 == 0 ? 0 : 0x80)) << (56 - 8 * length);
      length++;
      rest >>>= 7;
    } while (rest != 0);
    fields.first(word, length);
    return this;
  }
}
