package sluice.codecs.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ByteQueueTest {
  private byte next;
  private byte expected;

  private ByteBuf read(int length) {
    ByteBuf bytes = PooledByteBufAllocator.DEFAULT.directBuffer(Math.max(1, length));
    for (int i = 0; i < length; i++) {
      bytes.writeByte(next++);
    }
    return bytes;
  }

  private void take(ByteBuf bytes) {
    assertThat(bytes.isReadable()).isTrue();
    while (bytes.isReadable()) {
      assertThat(bytes.readByte()).isEqualTo(expected++);
    }
    bytes.release();
  }

  @Test
  void shouldHandOutNoMoreOnceItsSinkHasClearedIt() {
    ByteQueue queue = new ByteQueue(new Slices());
    for (int i = 0; i < 4; i++) {
      queue.add(read(ByteQueue.COPIED_BELOW));
    }
    List<Integer> lengths = new ArrayList<>();
    queue.moveTo(
        bytes -> {
          lengths.add(bytes.readableBytes());
          bytes.release();
          queue.clear();
        },
        queue.length());
    assertThat(lengths).containsExactly(ByteQueue.COPIED_BELOW);
    assertThat(queue.length()).isZero();
  }

  @Property(tries = 50)
  void shouldGiveBackWhatWasPutIn(
      @ForAll @Size(max = 60) List<@IntRange(max = 3000) Integer> sizes, @ForAll boolean skips) {
    next = 0;
    expected = 0;
    ByteQueue queue = new ByteQueue(new Slices());
    for (int size : sizes) {
      queue.add(read(size));
      assertThat(queue.contiguous(queue.length())).isZero();
      int some = Math.floorMod(size * 7, queue.length() + 1);
      for (int offset = 0; offset < queue.length(); offset += 1 + offset / 2) {
        assertThat(queue.getByte(offset)).isEqualTo((byte) (expected + offset));
        assertThat(queue.piece(offset).getByte(queue.index(offset)))
            .isEqualTo((byte) (expected + offset));
        assertThat(queue.contiguous(offset)).isPositive();
      }
      ByteBuf copy = Unpooled.buffer(some).writerIndex(some);
      queue.getBytes(0, copy, 0, some);
      for (int i = 0; i < some; i++) {
        assertThat(copy.getByte(i)).isEqualTo((byte) (expected + i));
      }
      if (skips && size % 3 == 0) {
        queue.skip(some);
        expected += (byte) some;
      } else {
        queue.moveTo(this::take, some);
      }
    }
    queue.moveTo(this::take, queue.length());
    assertThat(expected).isEqualTo(next);
    assertThat(queue.length()).isZero();
  }

  @Test
  void shouldReadIntsThatAreCut() {
    for (int cut = 1; cut < 4; cut++) {
      ByteQueue queue = new ByteQueue(new Slices());
      ByteBuf bytes = Unpooled.buffer().writeIntLE(0x12F456F8);
      queue.add(Unpooled.copiedBuffer(bytes.slice(0, cut)));
      ByteBuf large = Unpooled.buffer().writeBytes(bytes, cut, 4 - cut).writeZero(2000);
      queue.add(large);
      assertThat(queue.contiguous(0)).isEqualTo(cut);
      assertThat(queue.getIntLE(0)).isEqualTo(0x12F456F8);
      queue.clear();
      assertThat(large.refCnt()).isZero();
    }
  }

  @Test
  void shouldJoinSmallReadsSoThatOneByteAtATimeHoldsNoBufferEach() {
    ByteQueue queue = new ByteQueue(new Slices());
    List<ByteBuf> reads = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      ByteBuf read = read(1);
      reads.add(read);
      queue.add(read);
    }
    assertThat(reads.stream().filter(read -> read.refCnt() > 0)).hasSizeLessThanOrEqualTo(1);
    List<ByteBuf> pieces = new ArrayList<>();
    queue.moveTo(pieces::add, queue.length());
    assertThat(pieces).hasSizeLessThan(10);
    pieces.forEach(this::take);
  }

  @Test
  void shouldNotWriteIntoWhatHasLeft() {
    ByteQueue queue = new ByteQueue(new Slices());
    queue.add(read(10));
    queue.add(read(10));
    List<ByteBuf> left = new ArrayList<>();
    queue.moveTo(left::add, 20);
    queue.add(read(10));
    queue.add(read(10));
    queue.moveTo(left::add, 15);
    queue.add(read(10));
    queue.moveTo(left::add, 15);
    left.forEach(this::take);
    assertThat(expected).isEqualTo((byte) 50);
    assertThatThrownBy(() -> queue.skip(1)).isInstanceOf(IndexOutOfBoundsException.class);
  }
}
