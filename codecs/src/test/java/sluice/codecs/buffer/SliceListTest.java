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

  @Test
  void shouldCopyFewBytesOnly() {
    SliceList list = new SliceList(new Slices());
    ByteBuf source = read(2 * SliceList.COPIED_BELOW);
    list.addRange(source, 0, SliceList.COPIED_BELOW - 1, source.alloc());
    assertThat(source.refCnt()).isEqualTo(1);
    list.addRange(source, SliceList.COPIED_BELOW - 1, SliceList.COPIED_BELOW, source.alloc());
    assertThat(source.refCnt()).isEqualTo(2);
    source.release();
    list.clear();
    assertThat(source.refCnt()).isZero();
  }

  /** A buffer of 64 KiB, as sockets read to. Only its last bytes are readable. */
  private ByteBuf large(int readable) {
    ByteBuf bytes = PooledByteBufAllocator.DEFAULT.directBuffer(64 * 1024, 64 * 1024);
    bytes.setIndex(64 * 1024 - readable, 64 * 1024 - readable);
    for (int i = 0; i < readable; i++) {
      bytes.writeByte(next++);
    }
    return bytes;
  }

  private static int capacity(SliceList list) {
    int capacity = 0;
    for (int i = 0; i < list.count(); i++) {
      ByteBuf slice = list.get(i);
      capacity += slice.unwrap() == null ? slice.capacity() : slice.unwrap().capacity();
    }
    return capacity;
  }

  @Test
  void shouldNotKeepALargeBufferForASmallRest() {
    for (int length : new int[] {1, SliceList.COPIED_BELOW, 16 * 1024 - 1}) {
      SliceList list = new SliceList(new Slices());
      ByteBuf read = large(length);
      list.addRead(read);
      list.copyLastIfSmall();
      assertThat(read.refCnt()).isZero();
      assertThat(list.length()).isEqualTo(length);
      list.moveTo(this::take, length);
    }
    SliceList list = new SliceList(new Slices());
    ByteBuf read = large(16 * 1024);
    list.addRead(read);
    list.copyLastIfSmall();
    assertThat(list.get(0)).isSameAs(read); // a copy would cost more
    list.moveTo(this::take, list.length());
    list.copyLastIfSmall();
    assertThat(list.isEmpty()).isTrue();
    assertThat(expected).isEqualTo(next);
  }

  /** Small reads behind each other. All but a few of their bytes leave now and then. */
  @Test
  void shouldKeepLittleMoreThanItsBytes() {
    SliceList list = new SliceList(new Slices());
    for (int i = 0; i < 3000; i++) {
      list.addRead(large(1 + i * 37 % 2000));
      if (i % 61 == 0) {
        list.moveTo(this::take, list.length() - 3 * (i % 2));
      }
      list.copyLastIfSmall();
      assertThat(capacity(list)).as("after read %d", i).isLessThan(4 * list.length() + 1024);
    }
    list.moveTo(this::take, list.length());
    assertThat(expected).isEqualTo(next);
  }

  @Test
  void shouldCopyBehindWhatWasCopiedInBuffersThatGrow() {
    SliceList list = new SliceList();
    ByteBuf source = read(100);
    for (int i = 0; i < 100; i++) {
      list.copy(source, i, 1, source.alloc());
    }
    assertThat(list.count()).isEqualTo(2); // the first is as large as what came alone
    assertThat(list.get(1).capacity()).isEqualTo(512);
    source.release();
    list.moveTo(this::take, 100);
  }

  @Test
  void shouldAskForNoMoreMemoryThanWhatIsToCome() {
    SliceList list = new SliceList();
    ByteBuf source = read(100);
    list.copy(source, 0, 30, source.alloc(), 512, 10);
    list.copy(source, 30, 10, source.alloc(), 512, 0);
    list.copy(source, 40, 60, source.alloc(), 512, 0);
    assertThat(list.get(0).capacity()).isEqualTo(40);
    assertThat(list.get(1).capacity()).isEqualTo(60);
    source.release();
    list.moveTo(this::take, 100);
  }

  @Test
  void shouldNotCopyBehindWhatWasAddedAsItIs() {
    SliceList list = new SliceList();
    ByteBuf source = read(30);
    list.copy(source, 0, 10, source.alloc(), 512, 1000);
    list.add(source.retainedSlice(10, 10));
    list.copy(source, 20, 10, source.alloc(), 512, 1000);
    assertThat(list.count()).isEqualTo(3);
    assertThat(list.removeFirst().release()).isTrue();
    expected = 10;
    list.moveTo(this::take, 20);
    source.release();
    assertThat(source.refCnt()).isZero();
  }

  @Test
  void shouldDropTheLastBytesWhereverTheyAreCut() {
    for (int cut = 1; cut <= 4; cut++) {
      next = 0;
      expected = 0;
      SliceList list = new SliceList();
      list.add(read(5 - cut));
      list.add(read(1));
      list.add(read(cut));
      list.skipLast(2);
      assertThat(list.length()).isEqualTo(4);
      ByteBuf more = Unpooled.buffer().writeByte(4);
      list.copy(more, 0, 1, PooledByteBufAllocator.DEFAULT);
      assertThat(list.length()).isEqualTo(5);
      list.moveTo(this::take, 5);
      next = 6;
      list.add(read(2));
      list.skipLast(2);
      assertThat(list.isEmpty()).isTrue();
    }
  }

  @Test
  void shouldMoveSlicesAsTheyAreAndJoinFewBytes() {
    Slices slices = new Slices();
    SliceList from = new SliceList();
    SliceList to = new SliceList();
    int large = SliceList.COPIED_BELOW;
    ByteBuf source = read(100 + large);
    from.add(source);
    from.joinTo(to, 60, slices, source.alloc());
    from.joinTo(to, 40, slices, source.alloc());
    assertThat(source.refCnt()).isEqualTo(1);
    from.joinTo(to, large, slices, source.alloc());
    assertThat(from.isEmpty()).isTrue();
    assertThat(to.get(to.count() - 1)).isSameAs(source);
    SliceList third = new SliceList();
    to.moveTo(third);
    assertThat(to.length()).isZero();
    third.drainTo(this::take);
    assertThat(third.isEmpty()).isTrue();
    assertThat(expected).isEqualTo(next);
  }

  @Test
  void shouldBeEmptyBeforeItHandsOutTheFirst() {
    SliceList list = new SliceList();
    for (int i = 0; i < 5; i++) {
      list.add(read(10));
    }
    List<Integer> left = new ArrayList<>();
    list.drainTo(
        bytes -> {
          left.add(list.length());
          list.clear(); // as whoever closes a connection does
          take(bytes);
        });
    assertThat(left).containsExactly(0, 0, 0, 0, 0);
  }

  @Test
  void shouldKeepOrderHoweverItGrowsAndShrinks() {
    SliceList list = new SliceList();
    for (int round = 0; round < 3_000; round++) {
      list.add(read(1 + round % 3));
      list.add(read(1));
      if (round % 2 == 0) {
        take(list.removeFirst());
      }
    }
    assertThat(list.count()).isEqualTo(4_500);
    list.drainTo(this::take);
    assertThat(expected).isEqualTo(next);
    list.add(read(1));
    take(list.removeFirst());
  }
}
