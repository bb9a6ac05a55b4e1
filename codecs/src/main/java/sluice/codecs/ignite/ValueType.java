package sluice.codecs.ignite;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.Date;

/**
 * Java type of a key or a value, encoded in 16 bits of the flags ({@code GridTcpRestParser}'s
 * {@code SERIALIZED_FLAG} to {@code BYTE_ARR_FLAG}). The encoding is spymemcached's.
 *
 * <pre>
 *   extras of a store, and of the answer to a get:
 *  +----------+------------+-----------------------------------+
 *  | key type | value type | a store's: expiry in milliseconds | ...
 *  +----------+------------+-----------------------------------+
 *   16 bits    16 bits      32 bits, big endian
 * </pre>
 */
@SuppressWarnings("JavaUtilDate") // one of Ignite's types
public enum ValueType {
  /** UTF-8. When a node reads invalid bytes, it replaces them by U+FFFD. */
  STRING(0x0000, 0),
  /** ASCII {@code 1} or {@code 0}. */
  BOOLEAN(0x0100, 1),
  INTEGER(0x0200, 4),
  LONG(0x0300, 8),
  /** Milliseconds since 1970. */
  DATE(0x0400, 8),
  BYTE(0x0500, 1),
  FLOAT(0x0600, 4),
  DOUBLE(0x0700, 8),
  BYTES(0x0800, 0),
  /** Java's serialization of anything else. */
  SERIALIZED(0x0001, 0);

  private static final int MASK = 0xFF00;
  private static final ValueType[] BY_CODE = {
    STRING, BOOLEAN, INTEGER, LONG, DATE, BYTE, FLOAT, DOUBLE, BYTES
  };

  private final int code;
  private final int width;

  ValueType(int code, int width) {
    this.code = code;
    this.width = width;
  }

  /**
   * The type that a node derives from 16 bits: bit 0 takes precedence; unknown bits mean a string.
   */
  public static ValueType of(int flags) {
    if ((flags & SERIALIZED.code) != 0) {
      return SERIALIZED;
    }
    int index = (flags & MASK) >>> 8;
    return index < BY_CODE.length ? BY_CODE[index] : STRING;
  }

  /** The type that a Java object is sent as. */
  public static ValueType of(Object value) {
    if (value instanceof String) {
      return STRING;
    } else if (value instanceof byte[]) {
      return BYTES;
    } else if (value instanceof Boolean) {
      return BOOLEAN;
    } else if (value instanceof Integer) {
      return INTEGER;
    } else if (value instanceof Long) {
      return LONG;
    } else if (value instanceof Date) {
      return DATE;
    } else if (value instanceof Byte) {
      return BYTE;
    } else if (value instanceof Float) {
      return FLOAT;
    } else if (value instanceof Double) {
      return DOUBLE;
    }
    return SERIALIZED;
  }

  /** The 16 bits that stand for the type. */
  public int code() {
    return code;
  }

  /** Bytes of a value of this type in a node's answers; 0 if the length depends on the value. */
  public int width() {
    return width;
  }

  /**
   * The object that a payload stands for. As in Ignite, a number with fewer bytes than its type is
   * read from the right. The content of {@link #SERIALIZED} is not deserialized: the result is the
   * same as for {@link #BYTES}. Borrows the buffer.
   *
   * @throws IndexOutOfBoundsException if a number has no bytes, or more than its type
   */
  public Object read(ByteBuf buffer, int index, int length) {
    return switch (this) {
      case STRING -> buffer.toString(index, length, UTF_8);
      case BYTES, SERIALIZED -> ByteBufUtil.getBytes(buffer, index, length, true);
      case BOOLEAN -> number(buffer, index, length) == '1';
      case INTEGER -> (int) number(buffer, index, length);
      case LONG -> number(buffer, index, length);
      case DATE -> new Date(number(buffer, index, length));
      case BYTE -> (byte) number(buffer, index, length);
      case FLOAT -> Float.intBitsToFloat((int) number(buffer, index, length));
      case DOUBLE -> Double.longBitsToDouble(number(buffer, index, length));
    };
  }

  private long number(ByteBuf buffer, int index, int length) {
    if (length < 1 || length > width) {
      throw new IndexOutOfBoundsException(length + " bytes for a " + this + " of " + width);
    }
    long value = 0;
    for (int i = 0; i < length; i++) {
      value = value << 8 | buffer.getUnsignedByte(index + i);
    }
    return value;
  }

  /**
   * The payload of a value whose type has a width, in the lowest bytes.
   *
   * @throws IllegalArgumentException if the value is not of this type, or the type has no width
   */
  long bits(Object value) {
    return switch (this) {
      case BOOLEAN -> (Boolean) value ? '1' : '0';
      case INTEGER -> (Integer) value;
      case LONG -> (Long) value;
      case DATE -> ((Date) value).getTime();
      case BYTE -> (Byte) value;
      case FLOAT -> Float.floatToRawIntBits((Float) value);
      case DOUBLE -> Double.doubleToRawLongBits((Double) value);
      case STRING, BYTES, SERIALIZED -> throw new IllegalArgumentException(this + " has no width");
    };
  }
}
