package sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;

/** A store for whose tables there is too little memory. */
class ScarceMemoryTest {
  private static final long SIZE = 64L << 20; // 8 segments

  /** Has memory for a number of buffers outside the heap. */
  private static final class Allocator extends AbstractByteBufAllocator {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private int left;

    Allocator(int buffers) {
      left = buffers;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return allocator.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      if (left == 0) {
        throw new OutOfMemoryError("no direct memory");
      }
      left--;
      return allocator.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }

    long used() {
      return allocator.metric().usedDirectMemory();
    }
  }

  @Test
  void shouldReleaseTheTablesThatItHas() {
    Allocator allocator = new Allocator(3);
    assertThatThrownBy(
            () ->
                new EmbeddedStore(
                    SIZE, EmbeddedStore.DEFAULT_ITEM_SIZE_LIMIT, new FakeClock(), allocator))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessage("no direct memory");
    assertThat(allocator.left).isZero();
    assertThat(allocator.used()).isZero();
  }
}
