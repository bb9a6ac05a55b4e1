package sluice.codecs.compress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * The one buffer an event loop compresses and decompresses in: it grows to the largest size asked
 * for, is given back when nobody used it for a while, and never leaves the loop: what is to be sent
 * is copied out of it.
 *
 * <p>Owned by one thread.
 */
public final class Scratch {
  private static final int GRANULE = 16 * 1024;

  private final ByteBufAllocator allocator;
  private ByteBuf buffer;
  private ByteBuffer source; // views of it, made once for each buffer
  private ByteBuffer target;
  private boolean used;

  public Scratch(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  /**
   * A direct buffer in one piece, of at least {@code capacity} bytes. What is in it is undefined,
   * and so are its indexes: use absolute ones. The scratch keeps it: it is borrowed until the next
   * call of any method here, so whoever needs two places asks for one buffer with room for both.
   */
  public ByteBuf buffer(int capacity) {
    used = true;
    if (buffer == null || buffer.capacity() < capacity) {
      release();
      int rounded = Math.addExact(capacity, GRANULE - 1) / GRANULE * GRANULE;
      buffer = allocator.directBuffer(rounded, rounded);
    }
    return buffer;
  }

  /**
   * The bytes [from, from + length) of the buffer that was asked for last, for libraries that want
   * one of Java's: positions are the buffer's indexes. Borrowed as the buffer is, until the next
   * call of this method.
   */
  ByteBuffer source(int from, int length) {
    if (source == null) {
      source = buffer.nioBuffer(0, buffer.capacity());
    }
    return source.limit(from + length).position(from);
  }

  /** Another view, which is not {@link #source}'s. */
  ByteBuffer target(int from, int length) {
    if (target == null) {
      target = buffer.nioBuffer(0, buffer.capacity());
    }
    return target.limit(from + length).position(from);
  }

  /** Bytes it holds now. */
  public int capacity() {
    return buffer == null ? 0 : buffer.capacity();
  }

  /** Called at intervals: gives the buffer back if it was not used since the last call. */
  public void releaseIfIdle() {
    if (!used) {
      release();
    }
    used = false;
  }

  /** Gives the buffer back. The next {@link #buffer} allocates a new one. */
  public void release() {
    if (buffer != null) {
      buffer.release();
      buffer = null;
      source = null;
      target = null;
    }
  }
}
