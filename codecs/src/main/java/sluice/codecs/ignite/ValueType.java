package sluice.codecs.ignite;

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
public enum ValueType {
  /** UTF-8. A node replaces invalid bytes with U+FFFD when it reads them. */
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

  /** The 16 bits that represent the type. */
  public int code() {
    return code;
  }

  /** Bytes of a value of this type in a node's answers; 0 if the length depends on the value. */
  public int width() {
    return width;
  }
}
