package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import sluice.gateway.loop.Loop;

/**
 * Last bytes of a value that is sent as it comes, whose line end is not the server's: kept until
 * the line end is known to be one.
 */
final class CutLineEnd {
  private static final short CRLF = '\r' << 8 | '\n';

  /** The last byte of the value, and the line end. */
  static final int LENGTH = 3;

  private final Loop loop;
  private ByteBuf tail; // null before the first byte

  CutLineEnd(Loop loop) {
    this.loop = loop;
  }

  /** Keeps the next length bytes of in, and advances over them. Borrows in. */
  void keep(ByteBuf in, int length) {
    if (tail == null) {
      tail = loop.buffer(LENGTH);
    }
    tail.writeBytes(in, length);
  }

  /** Whether all bytes are kept. */
  boolean isWhole() {
    return tail != null && tail.readableBytes() == LENGTH;
  }

  /** Whether what follows the value's last byte is a line end. */
  boolean isLineEnd() {
    return tail.getShort(1) == CRLF;
  }

  /** The bytes that are kept; borrowed. */
  ByteBuf bytes() {
    return tail;
  }

  void release() {
    if (tail != null) {
      tail.release();
      tail = null;
    }
  }
}
