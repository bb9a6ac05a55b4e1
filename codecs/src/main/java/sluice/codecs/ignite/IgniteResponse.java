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
public final class IgniteResponse extends IgnitePacket {
  public static final int STATUS_OK = 0;

  /** Of a get alone. */
  public static final int STATUS_MISS = 1;

  /** Whatever else was not done, whatever the reason. */
  public static final int STATUS_FAILURE = 4;

  /**
   * Looks at another response. Borrows the buffer.
   *
   * @throws ProtocolException if no node sends this: {@link #check}
   */
  public IgniteResponse wrap(ByteBuf bytes, int offset) {
    check(bytes, offset);
    look(bytes, offset);
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

  public int status() {
    return BinaryHeader.status(buffer, start);
  }

  @Override
  public int flags() {
    return extrasLength() == 4 ? buffer.getInt(extrasIndex()) : 0;
  }
}
