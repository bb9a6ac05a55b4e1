package sluice.codecs.ignite;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;
import sluice.codecs.memcached.binary.BinaryHeader;

/**
 * View of one response, all of whose extras and key have arrived. It owns nothing: it is good until
 * the next wrap, and while the buffer is. Offsets are absolute.
 *
 * <pre>
 *  +------------+----------------------------------+-----+-------+
 *  | header, 24 | of a get, hit or miss: types, 4  | key | value |
 *  +------------+----------------------------------+-----+-------+
 * </pre>
 */
public final class IgniteResponse {
  public static final int STATUS_OK = 0;

  /** Of a get alone. */
  public static final int STATUS_MISS = 1;

  /** Whatever else was not done, whatever the reason. */
  public static final int STATUS_FAILURE = 4;

  private ByteBuf buffer;
  private int start;

  /**
   * Looks at another response. Borrows the buffer.
   *
   * @throws ProtocolException if no node sends this: {@link #check}
   */
  public IgniteResponse wrap(ByteBuf bytes, int offset) {
    check(bytes, offset);
    buffer = bytes;
    start = offset;
    return this;
  }

  /**
   * Whether a node sends such a header, all of which is there. Borrows the buffer.
   *
   * @throws ProtocolException if none does
   */
  public static void check(ByteBuf bytes, int offset) {
    if (BinaryHeader.magic(bytes, offset) != BinaryHeader.RESPONSE_MAGIC) {
      throw new ProtocolException(
          "a packet that begins with 0x" + Integer.toHexString(bytes.getUnsignedByte(offset)));
    }
    int extrasLength = BinaryHeader.extrasLength(bytes, offset);
    if (extrasLength != extrasLength(BinaryHeader.opcode(bytes, offset))) {
      throw new ProtocolException("extras of " + extrasLength + " bytes in a response");
    }
    long bodyLength = BinaryHeader.bodyLength(bytes, offset);
    int keyLength = BinaryHeader.keyLength(bytes, offset);
    if (bodyLength < keyLength + extrasLength || bodyLength > Integer.MAX_VALUE) {
      throw new ProtocolException("a body of " + bodyLength + " bytes");
    }
  }

  /** Bytes of extras that the response to an opcode has, whatever its status: 4 or 0. */
  static int extrasLength(int opcode) {
    return IgniteOperation.of(opcode) == IgniteOperation.GET ? 4 : 0;
  }

  public int opcode() {
    return BinaryHeader.opcode(buffer, start);
  }

  public int status() {
    return BinaryHeader.status(buffer, start);
  }

  public int opaque() {
    return BinaryHeader.opaque(buffer, start);
  }

  /** Types of key and value, all 32 bits; 0 where the response to such an opcode has none. */
  public int flags() {
    return BinaryHeader.extrasLength(buffer, start) == 4
        ? buffer.getInt(start + BinaryHeader.LENGTH)
        : 0;
  }

  public ValueType keyType() {
    return ValueType.of(flags() >>> 16);
  }

  public ValueType valueType() {
    return ValueType.of(flags() & 0xFFFF);
  }

  public int keyIndex() {
    return BinaryHeader.keyStart(buffer, start);
  }

  public int keyLength() {
    return BinaryHeader.keyLength(buffer, start);
  }

  public int valueIndex() {
    return keyIndex() + keyLength();
  }

  public int valueLength() {
    return length() - BinaryHeader.LENGTH - BinaryHeader.extrasLength(buffer, start) - keyLength();
  }

  /** Bytes of all of it, header and value too. */
  public int length() {
    return BinaryHeader.LENGTH + (int) BinaryHeader.bodyLength(buffer, start);
  }
}
