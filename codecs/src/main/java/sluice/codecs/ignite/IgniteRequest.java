package sluice.codecs.ignite;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;
import sluice.codecs.memcached.binary.BinaryHeader;

/**
 * View of one request whose extras and key have arrived completely. It owns nothing: it is valid
 * until the next wrap, and only while the buffer is. Offsets are absolute.
 *
 * <pre>
 *  +--------------+--------------------------------------------+----------------+-----+-------+
 *  | header, 24   | store: types 4, expiry 4                   | cache's name,  | key | value |
 *  | (see         | count: delta 8, initial 8, 4 of no meaning | UTF-8, or none |     |       |
 *  | BinaryHeader)| other: none, or 4 of no meaning            |                |     |       |
 *  +--------------+--------------------------------------------+----------------+-----+-------+
 * </pre>
 */
public final class IgniteRequest extends IgnitePacket {
  /** The parser's field for the length is signed: after a longer key, a node cannot continue. */
  public static final int MAX_KEY_LENGTH = Short.MAX_VALUE;

  /** The same limit for extras. */
  public static final int MAX_EXTRAS_LENGTH = Byte.MAX_VALUE;

  private IgniteOperation operation = IgniteOperation.UNKNOWN;

  /**
   * Wraps another request. Borrows the buffer.
   *
   * @throws ProtocolException if a node would close the connection: {@link #check}
   */
  public IgniteRequest wrap(ByteBuf bytes, int offset) {
    check(bytes, offset);
    look(bytes, offset);
    operation = IgniteOperation.of(BinaryHeader.opcode(bytes, offset));
    return this;
  }

  /**
   * Checks whether a node accepts a header, which must be complete. Borrows the buffer.
   *
   * @throws ProtocolException if a node would close the connection without an answer
   */
  public static void check(ByteBuf bytes, int offset) {
    if (BinaryHeader.magic(bytes, offset) != BinaryHeader.REQUEST_MAGIC) {
      throw new ProtocolException(
          "a packet that begins with 0x" + Integer.toHexString(bytes.getUnsignedByte(offset)));
    }
    int opcode = BinaryHeader.opcode(bytes, offset);
    IgniteOperation operation = IgniteOperation.of(opcode);
    int keyLength = BinaryHeader.keyLength(bytes, offset);
    int extrasLength = BinaryHeader.extrasLength(bytes, offset);
    if (operation == IgniteOperation.UNKNOWN) {
      throw new ProtocolException("opcode 0x" + Integer.toHexString(opcode));
    }
    if (keyLength > MAX_KEY_LENGTH) {
      throw new ProtocolException("a key of " + keyLength + " bytes");
    }
    if (extrasLength > MAX_EXTRAS_LENGTH || extrasLength < operation.mandatoryExtras()) {
      throw new ProtocolException("extras of " + extrasLength + " bytes for " + operation);
    }
    long bodyLength = BinaryHeader.bodyLength(bytes, offset);
    if (bodyLength < keyLength + extrasLength || bodyLength > MAX_BODY_LENGTH) {
      throw new ProtocolException("a body of " + bodyLength + " bytes");
    }
  }

  public IgniteOperation operation() {
    return operation;
  }

  /** The types of a store; 0 for any other request, whose key and value are strings. */
  @Override
  public int flags() {
    return operation == IgniteOperation.STORE ? buffer.getInt(extrasIndex()) : 0;
  }

  /**
   * Time to live of a stored value in signed milliseconds; 0 for no expiry, and for any other
   * request.
   */
  public int expiryMillis() {
    return operation == IgniteOperation.STORE ? buffer.getInt(extrasIndex() + 4) : 0;
  }

  /** The change of a counter, for {@link IgniteOperation#COUNT} only. */
  public long delta() {
    return buffer.getLong(extrasIndex());
  }

  /** The initial value of a counter, before the delta, for {@link IgniteOperation#COUNT} only. */
  public long initial() {
    return buffer.getLong(extrasIndex() + 8);
  }

  public int cacheNameIndex() {
    return keyIndex() - cacheNameLength();
  }

  /** Bytes of the cache's name; 0 for the cache named {@code default}. */
  public int cacheNameLength() {
    return Math.max(0, extrasLength() - operation.extrasBeforeCacheName());
  }
}
