package sluice.gateway.loop;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/** Allocator that has no direct memory left when the test says so. */
public final class ScarceAllocator extends AbstractByteBufAllocator {
  private final UnpooledByteBufAllocator from = new UnpooledByteBufAllocator(false);
  private boolean exhausted;

  /** An allocator whose buffers are on the heap where the caller does not choose. */
  public ScarceAllocator() {
    this(false);
  }

  /** An allocator of direct buffers, or of others, where the caller does not choose. */
  ScarceAllocator(boolean preferDirect) {
    super(preferDirect);
  }

  /** From now on, direct memory is exhausted, or is not any more. */
  public void exhausted(boolean now) {
    exhausted = now;
  }

  /** Bytes of all direct buffers that are not released. */
  public long used() {
    return from.metric().usedDirectMemory();
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return from.heapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    if (exhausted) {
      throw new OutOfMemoryError("as asked");
    }
    return from.directBuffer(initialCapacity, maxCapacity);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }
}
