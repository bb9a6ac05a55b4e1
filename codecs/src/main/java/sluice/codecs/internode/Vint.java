package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.FieldWriter;

/**
 * Cassandra's unsigned variable-length integers ({@code VIntCoding}), at absolute offsets. The
 * number of leading 1 bits of the first byte is the number of bytes that follow it. The remaining
 * bits and those bytes are the value, big endian.
 *
 * <pre>
 *   0xxxxxxx                              7 bits
 *   10xxxxxx xxxxxxxx                    14 bits
 *   ...
 *   11111110 xxxxxxxx (7)                56 bits
 *   11111111 xxxxxxxx (8)                64 bits
 * </pre>
 *
 * Every method borrows its buffer; only {@link #write} moves an index.
 */
public final class Vint {
  public static final int MAX_LENGTH = 9;

  private Vint() {}

  /** Length of the vint whose first byte is {@code first}, signed or not: 1 to 9 bytes. */
  public static int lengthOf(int first) {
    return Integer.numberOfLeadingZeros(~first & 0xFF) - 23;
  }

  /** Length that {@link #write} needs for a value, unsigned 64 bits: 1 to 9 bytes. */
  public static int encodedLength(long value) {
    return (639 - 9 * Long.numberOfLeadingZeros(value | 1)) >> 6;
  }

  /** The value of the vint at index, which must have arrived completely; unsigned 64 bits. */
  public static long get(ByteBuf buffer, int index) {
    int first = buffer.getByte(index);
    return first >= 0 ? first : get(buffer, index, first);
  }

  /** The same for a vint of several bytes whose first one, signed, is known. */
  static long get(ByteBuf buffer, int index, int first) {
    int more = lengthOf(first) - 1;
    return switch (more) {
      case 1 -> buffer.getUnsignedShort(index) & 0x3FFF;
      case 2 -> buffer.getUnsignedMedium(index) & 0x1F_FFFF;
      case 3 -> buffer.getInt(index) & 0x0FFF_FFFF;
      case 8 -> buffer.getLong(index + 1);
      default -> {
        long value = first & (0xFF >>> more);
        for (int i = 1; i <= more; i++) {
          value = value << 8 | buffer.getUnsignedByte(index + i);
        }
        yield value;
      }
    };
  }

  /** Index after the vint at index, or -1 if that does not end before limit. */
  static int skip(ByteBuf buffer, int index, int limit) {
    if (index >= limit) {
      return -1;
    }
    int first = buffer.getByte(index);
    int end = first >= 0 ? index + 1 : index + lengthOf(first);
    return end <= limit ? end : -1;
  }

  /**
   * As {@link #skip}, for a field whose end determines where others are. Cassandra writes only the
   * shortest form, and looks for the next field where that would end.
   *
   * @throws ProtocolException if the vint is longer than its value needs
   */
  static int skipShortest(ByteBuf buffer, int index, int limit) {
    int end = skip(buffer, index, limit);
    if (end > index + 1) {
      int needed = encodedLength(get(buffer, index));
      if (needed != end - index) {
        throw new ProtocolException(
            "number of " + (end - index) + " bytes, expected its shortest form, of " + needed);
      }
    }
    return end;
  }

  /**
   * A value that must fit into 31 bits.
   *
   * @param what it counts, for the message of the exception
   * @throws ProtocolException if it does not fit
   */
  static int int31(long value, String what) {
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw new ProtocolException(
          Long.toUnsignedString(value) + " " + what + ", expected less than 2^31");
    }
    return (int) value;
  }

  /** Writes a value, unsigned 64 bits, in its shortest form. */
  public static void write(ByteBuf out, long value) {
    int length = encodedLength(value);
    out.ensureWritable(length);
    set(out, out.writerIndex(), value, length);
    out.writerIndex(out.writerIndex() + length);
  }

  /** Writes a value, unsigned 64 bits, as the next field. */
  static void put(FieldWriter out, long value) {
    int length = encodedLength(value);
    // one word contains all of it: the bits that state its length, and the rest
    if (length <= Long.BYTES) {
      int shift = Long.SIZE - Byte.SIZE * length;
      out.first(value << shift | ~(-1L >>> (length - 1)), length);
    } else {
      out.int8(0xFF).int64(value);
    }
  }

  /** Overwrites a vint in place. Its length must stay the same: {@code encodedLength(value)}. */
  public static void set(ByteBuf out, int index, long value) {
    set(out, index, value, encodedLength(value));
  }

  private static void set(ByteBuf out, int index, long value, int length) {
    switch (length) {
      case 1 -> out.setByte(index, (int) value);
      case 2 -> out.setShort(index, (int) value | 0x8000);
      case 3 -> out.setMedium(index, (int) value | 0xC0_0000);
      case 4 -> out.setInt(index, (int) value | 0xE000_0000);
      case 9 -> {
        out.setByte(index, 0xFF);
        out.setLong(index + 1, value);
      }
      default -> {
        out.setByte(index, (int) (value >>> (8 * (length - 1))) | ~(0xFF >>> (length - 1)));
        for (int i = 1; i < length; i++) {
          out.setByte(index + i, (int) (value >>> (8 * (length - 1 - i))));
        }
      }
    }
  }
}
