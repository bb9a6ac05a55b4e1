package sluice.codecs.ignite;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.memcached.binary.BinaryHeader;

/**
 * View of a request or response: memcached's header, then extras, key and value. It owns nothing.
 * Offsets are absolute.
 */
abstract class IgnitePacket {
  /** The length of a packet, header included, must fit into 31 bits. */
  static final int MAX_BODY_LENGTH = Integer.MAX_VALUE - BinaryHeader.LENGTH;

  ByteBuf buffer = Unpooled.EMPTY_BUFFER;
  int start;

  /** Wraps another packet. Borrows the buffer. */
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

  /** Types of key and value, as one 32-bit word; 0 if such a packet has none. */
  public abstract int flags();

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

  /** Length of the whole packet in bytes, header and value included. */
  public final int length() {
    return BinaryHeader.LENGTH + (int) BinaryHeader.bodyLength(buffer, start);
  }
}
