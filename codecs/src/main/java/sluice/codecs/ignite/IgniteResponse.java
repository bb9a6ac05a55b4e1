package sluice.codecs.ignite;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;
import sluice.codecs.memcached.binary.BinaryHeader;

/**
 * View of one response whose extras and key have arrived completely. It owns nothing: it is valid
 * until the next wrap, and only while the buffer is. Offsets are absolute.
 *
 * <pre>
 *  +------------+----------------------------------+-----+-------+
 *  | header, 24 | of a get, hit or miss: types, 4  | key | value |
 *  +------------+----------------------------------+-----+-------+
 * </pre>
 */
public final class IgniteResponse extends IgnitePacket {
  public static final int STATUS_OK = 0;

  /** Used for a get only. */
  public static final int STATUS_MISS = 1;

  /** The request was not executed, for any other reason. */
  public static final int STATUS_FAILURE = 4;

  /**
   * Wraps another response. Borrows the buffer.
   *
   * @throws ProtocolException if no node sends such a response: {@link #check}
   */
  public IgniteResponse wrap(ByteBuf bytes, int offset) {
    check(bytes, offset);
    look(bytes, offset);
    return this;
  }

  /**
   * Checks whether a node sends such a header, which must be complete. Borrows the buffer.
   *
   * @throws ProtocolException if no node does
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
    if (bodyLength < keyLength + extrasLength || bodyLength > MAX_BODY_LENGTH) {
      throw new ProtocolException("a body of " + bodyLength + " bytes");
    }
  }

  /** Bytes of extras in a response to an opcode, for any status: 4 or 0. */
  static int extrasLength(int opcode) {
    return IgniteOperation.of(opcode) == IgniteOperation.GET ? 4 : 0;
  }

  public int status() {
    return BinaryHeader.status(buffer, start);
  }

  @Override
  public int flags() {
    return extrasLength() == 4 ? buffer.getInt(extrasIndex()) : 0;
  }
}
