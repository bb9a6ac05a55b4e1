package sluice.codecs.compress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;

/**
 * The one buffer an event loop compresses and decompresses in: it grows to the largest size asked
 * for, is given back when nobody used it for a while, or only a small part of it, and never leaves
 * the loop: what is to be sent is copied out of it.
 *
 * <p>Owned by one thread.
 */
public final class Scratch {
  private static final int GRANULE = 16 * 1024;

  /** It is given back when no more than this part of it was used for a while. */
  private static final int FAR_TOO_LARGE = 4;

  private final ByteBufAllocator allocator;
  private final LongConsumer counted;
  private ByteBuf buffer;
  private ByteBuffer source; // views of it, made once for each buffer
  private ByteBuffer target;
  private int most; // asked for since the last call of releaseIfIdle

  /** One that nobody counts. */
  public Scratch(ByteBufAllocator allocator) {
    this(allocator, change -> {});
  }

  /**
   * One that is counted.
   *
   * @param counted told how many bytes more it holds; negative: fewer
   */
  public Scratch(ByteBufAllocator allocator, LongConsumer counted) {
    this.allocator = allocator;
    this.counted = counted;
  }

  /**
   * A direct buffer in one piece, of at least {@code capacity} bytes. What is in it is undefined,
   * and so are its indexes: use absolute ones. The scratch keeps it: it is borrowed until the next
   * call of any method here, so whoever needs two places asks for one buffer with room for both.
   */
  public ByteBuf buffer(int capacity) {
    most = Math.max(most, Math.max(1, capacity));
    if (buffer == null || buffer.capacity() < capacity) {
      release();
      int rounded = Math.addExact(capacity, GRANULE - 1) / GRANULE * GRANULE;
      buffer = allocator.directBuffer(rounded, rounded);
      counted.accept(buffer.capacity());
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

  /**
   * Called at intervals: gives the buffer back if it was not used since the last call, or far less
   * of it than there is. The next {@link #buffer} allocates one of the size that it needs.
   */
  public void releaseIfIdle() {
    if (most == 0 || (capacity() > GRANULE && most <= capacity() / FAR_TOO_LARGE)) {
      release();
    }
    most = 0;
  }

  /** Gives the buffer back. The next {@link #buffer} allocates a new one. */
  public void release() {
    if (buffer != null) {
      counted.accept(-buffer.capacity());
      buffer.release();
      buffer = null;
      source = null;
      target = null;
    }
  }
}
