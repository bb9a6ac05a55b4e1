package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import sluice.codecs.buffer.Bytes;
import sluice.gateway.loop.Loop;

/**
 * Input of one client that has been read from its socket and not been looked at, in the buffers in
 * which it arrived. Owns them.
 */
final class ClientInput {
  private final Loop loop;
  private final ArrayDeque<ByteBuf> buffers = new ArrayDeque<>(4);
  private long held; // bytes that count as held for the client

  ClientInput(Loop loop) {
    this.loop = loop;
  }

  boolean isEmpty() {
    return buffers.isEmpty();
  }

  /** Bytes that were counted as held when they were last counted. */
  long held() {
    return held;
  }

  /** Adds what is looked at at once. Consumes bytes. */
  void add(ByteBuf bytes) {
    buffers.add(bytes);
  }

  /**
   * Adds what is looked at later: as a copy, if a large buffer would be kept for a small part of
   * it. Consumes bytes. Returns by how many bytes more is held.
   */
  long addWaiting(ByteBuf bytes) {
    int length = bytes.readableBytes();
    held += length;
    buffers.add(kept(bytes));
    return length;
  }

  /** The first buffer; null if there is none. Borrowed. */
  ByteBuf first() {
    return buffers.peek();
  }

  /** Gives up {@code in} if it is the first buffer and has been read to its end. */
  void doneWith(ByteBuf in) {
    if (!in.isReadable() && buffers.peek() == in) {
      buffers.poll().release();
    }
  }

  /** Counts what is left, to be looked at later; returns by how many bytes more is held. */
  long count() {
    if (buffers.isEmpty() && held == 0) {
      return 0;
    }
    if (!buffers.isEmpty()) {
      buffers.addFirst(kept(buffers.poll()));
    }
    long left = 0;
    for (ByteBuf in : buffers) {
      left += in.readableBytes();
    }
    long more = left - held;
    held = left;
    return more;
  }

  /** Releases everything; returns how many bytes were held. */
  long release() {
    long was = held;
    held = 0;
    while (!buffers.isEmpty()) {
      buffers.poll().release();
    }
    return was;
  }

  /**
   * What is left of in: a copy, if the whole buffer would be kept for a small part of it. A request
   * that is not the first in a buffer does not become the first in the copy. Consumes in; the
   * caller owns the result.
   */
  private ByteBuf kept(ByteBuf in) {
    int length = in.readableBytes();
    if (!Loop.isSmallPartOf(in, length)) {
      return in;
    }
    int before = Math.min(1, in.readerIndex());
    ByteBuf copy = loop.buffer(before + length);
    Bytes.append(in, in.readerIndex() - before, before + length, copy);
    copy.skipBytes(before);
    in.release();
    return copy;
  }
}
