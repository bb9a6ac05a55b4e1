package sluice.codecs.ignite;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.binary.BinaryHeader;

/**
 * What requests and responses have in common: a header, which is memcached's, and behind it extras,
 * key and value. A view: it owns nothing. Offsets are absolute.
 */
abstract class IgnitePacket {
  ByteBuf buffer;
  int start;

  /** Looks at another packet. Borrows the buffer. */
  final void look(ByteBuf bytes, int offset) {
    buffer = bytes;
    start = offset;
  }

  public final int opcode() {
    return BinaryHeader.opcode(buffer, start);
  }

  public final int opaque() {
    return BinaryHeader.opaque(buffer, start);
  }

  /** Types of key and value, as one word of 32 bits; 0 where such a packet has none. */
  public abstract int flags();

  public final ValueType keyType() {
    return ValueType.of(flags() >>> 16);
  }

  public final ValueType valueType() {
    return ValueType.of(flags() & 0xFFFF);
  }

  final int extrasIndex() {
    return start + BinaryHeader.LENGTH;
  }

  final int extrasLength() {
    return BinaryHeader.extrasLength(buffer, start);
  }

  public final int keyIndex() {
    return BinaryHeader.keyStart(buffer, start);
  }

  public final int keyLength() {
    return BinaryHeader.keyLength(buffer, start);
  }

  public final int valueIndex() {
    return keyIndex() + keyLength();
  }

  public final int valueLength() {
    return length() - BinaryHeader.LENGTH - extrasLength() - keyLength();
  }

  /** Bytes of all of it, header and value too. */
  public final int length() {
    return BinaryHeader.LENGTH + (int) BinaryHeader.bodyLength(buffer, start);
  }
}
