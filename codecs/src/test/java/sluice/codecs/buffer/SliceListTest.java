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

class SliceListTest {
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
    SliceList queue = new SliceList(new Slices());
    for (int i = 0; i < 4; i++) {
      queue.addRead(read(SliceList.COPIED_BELOW));
    }
    List<Integer> lengths = new ArrayList<>();
    queue.moveTo(
        bytes -> {
          lengths.add(bytes.readableBytes());
          bytes.release();
          queue.clear();
        },
        queue.length());
    assertThat(lengths).containsExactly(SliceList.COPIED_BELOW);
    assertThat(queue.length()).isZero();
  }

  @Property(tries = 50)
  void shouldGiveBackWhatWasPutIn(
      @ForAll @Size(max = 60) List<@IntRange(max = 3000) Integer> sizes, @ForAll boolean skips) {
    next = 0;
    expected = 0;
    SliceList queue = new SliceList(new Slices());
    for (int size : sizes) {
      queue.addRead(read(size));
      assertThat(queue.contiguous(queue.length())).isZero();
      int some = Math.floorMod(size * 7, queue.length() + 1);
      for (int offset = 0; offset < queue.length(); offset += 1 + offset / 2) {
        assertThat(queue.getByte(offset)).isEqualTo((byte) (expected + offset));
        assertThat(queue.sliceAt(offset).getByte(queue.index(offset)))
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
      SliceList queue = new SliceList(new Slices());
      ByteBuf bytes = Unpooled.buffer().writeIntLE(0x12F456F8);
      queue.addRead(Unpooled.copiedBuffer(bytes.slice(0, cut)));
      ByteBuf large = Unpooled.buffer().writeBytes(bytes, cut, 4 - cut).writeZero(2000);
      queue.addRead(large);
      assertThat(queue.contiguous(0)).isEqualTo(cut);
      assertThat(queue.getIntLE(0)).isEqualTo(0x12F456F8);
      queue.clear();
      assertThat(large.refCnt()).isZero();
    }
  }

  @Test
  void shouldJoinSmallReadsSoThatOneByteAtATimeHoldsNoBufferEach() {
    SliceList queue = new SliceList(new Slices());
    List<ByteBuf> reads = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      ByteBuf read = read(1);
      reads.add(read);
      queue.addRead(read);
    }
    assertThat(reads.stream().filter(read -> read.refCnt() > 0)).hasSizeLessThanOrEqualTo(1);
    List<ByteBuf> pieces = new ArrayList<>();
    queue.moveTo(pieces::add, queue.length());
    assertThat(pieces).hasSizeLessThan(10);
    pieces.forEach(this::take);
  }

  @Test
  void shouldNotWriteIntoWhatHasLeft() {
    SliceList queue = new SliceList(new Slices());
    queue.addRead(read(10));
    queue.addRead(read(10));
    List<ByteBuf> left = new ArrayList<>();
    queue.moveTo(left::add, 20);
    queue.addRead(read(10));
    queue.addRead(read(10));
    queue.moveTo(left::add, 15);
    queue.addRead(read(10));
    queue.moveTo(left::add, 15);
    left.forEach(this::take);
    assertThat(expected).isEqualTo((byte) 50);
    assertThatThrownBy(() -> queue.skip(1)).isInstanceOf(IndexOutOfBoundsException.class);
  }
}
