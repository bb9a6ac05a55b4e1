package sluice.codecs.compress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Buffer that an event loop compresses and decompresses in. It grows to the largest size requested,
 * and is released after a period in which it was unused or mostly unused. It never leaves the event
 * loop: bytes to be sent are copied out of it.
 *
 * <p>Owned by one thread.
 */
public final class Scratch {
  private static final int GRANULE = 16 * 1024;

  /** The buffer is released if at most one part in this many was used for a while. */
  private static final int FAR_TOO_LARGE = 4;

  private static final ByteBuf NONE = Unpooled.EMPTY_BUFFER;

  private final ByteBufAllocator allocator;
  private final LongConsumer counted;
  private ByteBuf buffer = NONE;
  private @Nullable ByteBuffer source; // view of the buffer, created once for each buffer
  private @Nullable ByteBuffer target;
  private int most; // largest request since the last call of releaseIfIdle

  /** A scratch whose memory is not accounted for. */
  public Scratch(ByteBufAllocator allocator) {
    this(allocator, change -> {});
  }

  /**
   * A scratch whose memory is accounted for.
   *
   * @param counted receives each change of its size in bytes; negative when it shrinks
   */
  public Scratch(ByteBufAllocator allocator, LongConsumer counted) {
    this.allocator = allocator;
    this.counted = counted;
  }

  /**
   * A direct, contiguous buffer of at least {@code capacity} bytes. Its content and indexes are
   * undefined: use absolute ones. The scratch keeps it: it is borrowed until the next call of any
   * method here. A caller that needs two areas requests one buffer large enough for both.
   */
  public ByteBuf buffer(int capacity) {
    most = Math.max(most, Math.max(1, capacity));
    if (buffer == NONE || buffer.capacity() < capacity) {
      release();
      int rounded = Math.addExact(capacity, GRANULE - 1) / GRANULE * GRANULE;
      buffer = allocator.directBuffer(rounded, rounded);
      counted.accept(buffer.capacity());
    }
    return buffer;
  }

  /**
   * A view of the bytes [from, from + length) of the last requested buffer, for libraries that need
   * an NIO buffer. Its positions are the buffer's indexes. Borrowed as the buffer is, until the
   * next call of this method.
   */
  ByteBuffer source(int from, int length) {
    if (source == null) {
      source = buffer.nioBuffer(0, buffer.capacity());
    }
    return source.limit(from + length).position(from);
  }

  /** The same, as a second view that is independent of {@link #source}. */
  ByteBuffer target(int from, int length) {
    if (target == null) {
      target = buffer.nioBuffer(0, buffer.capacity());
    }
    return target.limit(from + length).position(from);
  }

  /** Current size in bytes. */
  public int capacity() {
    return buffer.capacity();
  }

  /**
   * Called at intervals: releases the buffer if it was unused since the last call, or far larger
   * than needed. The next {@link #buffer} allocates one of the size that it needs.
   */
  public void releaseIfIdle() {
    if (most == 0 || (capacity() > GRANULE && most <= capacity() / FAR_TOO_LARGE)) {
      release();
    }
    most = 0;
  }

  /** Releases the buffer. The next {@link #buffer} allocates a new one. */
  public void release() {
    if (buffer != NONE) {
      counted.accept(-buffer.capacity());
      buffer.release();
      buffer = NONE;
      source = null;
      target = null;
    }
  }
}
