package sluice.gateway.client.input;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.SliceList;
import sluice.gateway.loop.Loop;

/**
 * Input of one client that was read from its socket and not processed yet, in the buffers in which
 * it arrived. Owns them.
 *
 * <p>TLS delivers each record in a buffer of its own. A read may have thousands of records of one
 * byte, and when a client closes, all that it has sent is read. So a few bytes that wait behind
 * others are copied to the end of those.
 */
public final class ClientInput {
  /** Capacity of the first buffer to copy into; each further one is twice as large. */
  private static final int LEAST_JOINED = 512;

  private static final int MOST_JOINED = 64 * 1024;

  private final Loop loop;
  private final ArrayDeque<ByteBuf> buffers = new ArrayDeque<>(4);
  private @Nullable ByteBuf joined; // the last buffer, if it was made to copy into
  private long held; // bytes that count as held for the client

  public ClientInput(Loop loop) {
    this.loop = loop;
  }

  public boolean isEmpty() {
    return buffers.isEmpty();
  }

  /** Bytes that counted as held at the last count. */
  public long held() {
    return held;
  }

  /** Adds bytes that are processed at once. Consumes bytes. */
  public void add(ByteBuf bytes) {
    buffers.add(bytes);
  }

  /**
   * Adds bytes that are processed later: as a copy, if there are few, or if a large buffer would be
   * retained for a small part of it. Consumes bytes. Returns the change of the bytes held.
   */
  public long addWaiting(ByteBuf bytes) {
    int length = bytes.readableBytes();
    held += length;
    if (!buffers.isEmpty() && bytes.readerIndex() == 0 && SliceList.isCopied(length)) {
      join(bytes);
    } else {
      joined = null;
      buffers.add(kept(bytes));
    }
    return length;
  }

  /** Copies a few bytes behind those before them. Consumes bytes. */
  private void join(ByteBuf bytes) {
    try {
      int length = bytes.readableBytes();
      ByteBuf last = joined;
      if (last == null || last.writableBytes() < length) { // it must not grow: it may have slices
        int capacity = last == null ? LEAST_JOINED : Math.min(MOST_JOINED, 2 * last.capacity());
        last = loop.buffer(Math.max(length, capacity));
        buffers.add(last);
        joined = last;
      }
      Bytes.append(bytes, bytes.readerIndex(), length, last);
    } finally {
      bytes.release();
    }
  }

  /** The first buffer; null if there is none. Borrowed. */
  public @Nullable ByteBuf first() {
    return buffers.peek();
  }

  /** Removes {@code in} if it is the first buffer and was read to its end. */
  public void doneWith(ByteBuf in) {
    if (!in.isReadable() && buffers.peek() == in) {
      release(buffers.poll());
    }
  }

  private void release(ByteBuf in) {
    joined = joined == in ? null : joined; // its object may be another buffer's soon
    in.release();
  }

  /** Counts the rest, which is processed later; returns the change of the bytes held. */
  public long count() {
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

  /** Releases everything; returns the number of bytes that were held. */
  public long release() {
    long was = held;
    held = 0;
    while (!buffers.isEmpty()) {
      release(buffers.poll());
    }
    return was;
  }

  /**
   * The rest of in: a copy, if a whole buffer would be retained for a small part of it. A request
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
    release(in);
    return copy;
  }
}
