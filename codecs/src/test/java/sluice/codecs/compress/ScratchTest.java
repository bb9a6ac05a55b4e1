package sluice.codecs.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ScratchTest {
  private final Scratch scratch = new Scratch(PooledByteBufAllocator.DEFAULT);

  @Test
  void shouldGrowToTheLargestAndBeGivenBackWhenIdle() {
    ByteBuf first = scratch.buffer(100);
    assertThat(scratch.buffer(1000)).isSameAs(first);
    ByteBuf second = scratch.buffer(100_000);
    assertThat(first.refCnt()).isZero();
    assertThat(scratch.capacity()).isGreaterThanOrEqualTo(100_000);
    scratch.releaseIfIdle();
    assertThat(second.refCnt()).isEqualTo(1);
    scratch.releaseIfIdle();
    assertThat(second.refCnt()).isZero();
    assertThat(scratch.capacity()).isZero();
    assertThat(scratch.buffer(1).capacity()).isPositive();
    scratch.release();
    scratch.release();
  }

  @Test
  void shouldShrinkUnderSteadyUseOfASmallPartAndCountWhatItHolds() {
    AtomicLong held = new AtomicLong();
    Scratch counted = new Scratch(PooledByteBufAllocator.DEFAULT, held::addAndGet);
    ByteBuf large = counted.buffer(4 << 20);
    assertThat(held.get()).isEqualTo(large.capacity());
    counted.releaseIfIdle();
    for (int i = 0; i < 100; i++) {
      assertThat(counted.buffer(20_000)).isSameAs(large);
    }
    counted.releaseIfIdle();
    assertThat(large.refCnt()).isZero();
    ByteBuf small = counted.buffer(20_000);
    assertThat(held.get()).isEqualTo(small.capacity()).isLessThan(64 * 1024);
    for (int i = 0; i < 100; i++) { // what it needs stays
      counted.releaseIfIdle();
      assertThat(counted.buffer(20_000)).isSameAs(small);
    }
    counted.release();
    assertThat(held.get()).isZero();
  }

  @Test
  void shouldCompressAndDecompressInPlacesOfOneBuffer() {
    Random random = new Random(5);
    for (int length : new int[] {1, 12, 13, 100, 4096, 131_071}) {
      int bound = Lz4.maxCompressedLength(length);
      ByteBuf room = scratch.buffer(2 * length + bound);
      for (int i = 0; i < length; i++) {
        room.setByte(i, random.nextInt(3));
      }
      int block = Lz4.compress(room, 0, length, room, 2 * length);
      assertThat(block).isBetween(1, bound);
      assertThat(Lz4.decompress(room, 2 * length, block, room, length, length)).isEqualTo(length);
      assertThat(room.slice(length, length)).isEqualTo(room.slice(0, length));
      assertThat(Lz4.decompress(room, 2 * length, block, room, length, length - 1)).isEqualTo(-1);
      assertThat(Lz4.decompress(room, 2 * length, 0, room, length, length)).isNotEqualTo(length);
    }
    scratch.release();
  }
}
