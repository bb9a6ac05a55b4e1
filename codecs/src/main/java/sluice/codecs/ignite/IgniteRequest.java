package sluice.codecs.ignite;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;
import sluice.codecs.memcached.binary.BinaryHeader;

/**
 * View of one request, all of whose extras and key have arrived. It owns nothing: it is good until
 * the next wrap, and while the buffer is. Offsets are absolute.
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
  /** The parser's field is signed: a node cannot go on behind a longer key. */
  public static final int MAX_KEY_LENGTH = Short.MAX_VALUE;

  /** The same of extras. */
  public static final int MAX_EXTRAS_LENGTH = Byte.MAX_VALUE;

  private IgniteOperation operation = IgniteOperation.UNKNOWN;

  /**
   * Looks at another request. Borrows the buffer.
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
   * Whether a node goes on behind a header, all of which is there. Borrows the buffer.
   *
   * @throws ProtocolException if it would close the connection without an answer
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
    if (bodyLength < keyLength + extrasLength || bodyLength > Integer.MAX_VALUE) {
      throw new ProtocolException("a body of " + bodyLength + " bytes");
    }
  }

  public IgniteOperation operation() {
    return operation;
  }

  /** A store's types; 0 of any other request, whose key and value are strings. */
  @Override
  public int flags() {
    return operation == IgniteOperation.STORE ? buffer.getInt(extrasIndex()) : 0;
  }

  /** Milliseconds that a store's value lives, signed; 0, of any other request too, for no end. */
  public int expiryMillis() {
    return operation == IgniteOperation.STORE ? buffer.getInt(extrasIndex() + 4) : 0;
  }

  /** What a counter is changed by, of {@link IgniteOperation#COUNT} alone. */
  public long delta() {
    return buffer.getLong(extrasIndex());
  }

  /** What a counter begins with, before the delta, of {@link IgniteOperation#COUNT} alone. */
  public long initial() {
    return buffer.getLong(extrasIndex() + 8);
  }

  public int cacheNameIndex() {
    return keyIndex() - cacheNameLength();
  }

  /** 0 for the cache that is called {@code default}. */
  public int cacheNameLength() {
    return Math.max(0, extrasLength() - operation.extrasBeforeCacheName());
  }
}
