package sluice.codecs.ignite;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import sluice.codecs.buffer.FieldWriter;

/**
 * Writer of the fields of messages between nodes, byte for byte as {@code DirectByteBufferStream}
 * of Ignite 2.18.0: little endian. Integers are written as their successor in LEB128, so that -1 is
 * the shortest.
 *
 * <p>One instance, used again and again: {@link #into}, fields, {@link #done}. It allocates nothing
 * except when the buffer grows.
 */
public final class MessageFields {
  public static final int MAX_INT_LENGTH = 5;
  public static final int MAX_LONG_LENGTH = 10;

  /** Written in place of the type of a null message. */
  public static final int NULL_TYPE = 0x8000;

  private static final long MORE = 0x8080_8080_8080_8080L;
  private static final long LOWEST_56_BITS = -1L >>> 8;

  private final FieldWriter fields = new FieldWriter();

  /**
   * Begins behind the buffer's readable bytes. Borrows it until {@link #done}.
   *
   * @param room the most bytes that the fields need
   */
  public MessageFields into(ByteBuf buffer, int room) {
    fields.into(buffer, room);
    return this;
  }

  /** Ends the fields: the buffer is no longer borrowed. */
  public void done() {
    fields.done();
  }

  /** Writes the type of a message, in front of its fields. */
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

  /** Writes the lowest 16 bits; also for a char. */
  public MessageFields int16(int value) {
    fields.int16LittleEndian(value);
    return this;
  }

  /** Writes up to {@value #MAX_INT_LENGTH} bytes. */
  public MessageFields int32(int value) {
    return leb128((value + 1) & 0xFFFF_FFFFL);
  }

  /** Writes up to {@value #MAX_LONG_LENGTH} bytes. */
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

  /** Writes the length and bytes of an array, or the marker for null. */
  public MessageFields bytes(byte[] value) {
    if (value == null) {
      return int32(-1);
    }
    int32(value.length);
    fields.bytes(value);
    return this;
  }

  /** Writes the length and bytes of a string, or the marker for null. */
  public MessageFields string(String value) {
    if (value == null) {
      return int32(-1);
    }
    int length = ByteBufUtil.utf8Bytes(value);
    int32(length);
    fields.utf8(value, length);
    return this;
  }

  /** The most bytes that {@link #string} needs for a string. */
  public static int maxLength(String value) {
    return MAX_INT_LENGTH + ByteBufUtil.utf8MaxBytes(value);
  }

  private MessageFields leb128(long value) {
    if ((value & ~0x7FL) == 0) {
      fields.int8((int) value);
      return this;
    }
    int length = (Long.SIZE + 6 - Long.numberOfLeadingZeros(value)) / 7;
    if (length <= Long.BYTES) {
      long more = MORE & ((1L << (8 * (length - 1))) - 1); // for all bytes but the last
      fields.first(Long.reverseBytes(sevenBitsAByte(value) | more), length);
      return this;
    }
    fields.int64LittleEndian(sevenBitsAByte(value & LOWEST_56_BITS) | MORE);
    int rest = (int) (value >>> 56);
    if (rest < 0x80) {
      fields.int8(rest);
    } else {
      fields.int16(rest << 8 | 1);
    }
    return this;
  }

  /** Spreads up to 56 bits over bytes of seven bits each, the lowest first. */
  private static long sevenBitsAByte(long value) {
    long halves = (value & 0x00FF_FFFF_F000_0000L) << 4 | (value & 0x0FFF_FFFFL);
    long quarters = (halves & 0x0FFF_C000_0FFF_C000L) << 2 | (halves & 0x0000_3FFF_0000_3FFFL);
    return (quarters & 0x3F80_3F80_3F80_3F80L) << 1 | (quarters & 0x007F_007F_007F_007FL);
  }
}
