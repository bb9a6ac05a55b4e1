package sluice.codecs.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FieldWriterTest {
  private static final String FIELDS = "01" + "04050607" + "08090a0b0c0d0e0f";

  /** Kinds of buffers: with an address and without, in one piece and not, roots and slices. */
  static List<ByteBuf> buffers() {
    return List.of(
        Unpooled.buffer(1),
        Unpooled.directBuffer(1),
        ByteBufAllocator.DEFAULT.heapBuffer(1),
        ByteBufAllocator.DEFAULT.directBuffer(1),
        Unpooled.directBuffer(128).writerIndex(5).slice(5, 123).clear(),
        Unpooled.compositeBuffer()
            .addComponent(true, Unpooled.buffer(7).writeZero(7))
            .addComponent(true, Unpooled.directBuffer(9).writeZero(9))
            .clear());
  }

  @ParameterizedTest
  @MethodSource("buffers")
  void shouldWriteEachFieldBehindTheOther(ByteBuf out) {
    try {
      out.writeByte(0xEE);
      FieldWriter fields = new FieldWriter();
      fields.into(out, 13).int8(0x101).int32(0x04050607).int64(0x08090a0b0c0d0e0fL).done();
      assertThat(ByteBufUtil.hexDump(out)).isEqualTo("ee" + FIELDS);
      fields.into(out, 3).bytes(new byte[] {1, 2, 3}).done(); // again, and nothing is left
      fields.into(out, 2).bytes(Unpooled.wrappedBuffer(new byte[] {0, 4, 5, 0}), 1, 2).done();
      fields.into(out, 3).utf8("\u20ac", 3).done();
      assertThat(ByteBufUtil.hexDump(out)).isEqualTo("ee" + FIELDS + "0102030405" + "e282ac");
    } finally {
      out.release();
    }
  }

  @ParameterizedTest
  @MethodSource("buffers")
  void shouldWriteTheFirstBytesOfAWordWhetherOrNotAllOfItHasRoom(ByteBuf out) {
    try {
      FieldWriter fields = new FieldWriter();
      for (int length = 0; length <= 8; length++) {
        for (int room = length; room <= 9; room++) {
          out.clear();
          fields.into(out, room).first(0x0102030405060708L, length).done();
          assertThat(ByteBufUtil.hexDump(out))
              .isEqualTo("0102030405060708".substring(0, 2 * length));
        }
      }
    } finally {
      out.release();
    }
  }

  @ParameterizedTest
  @MethodSource("buffers")
  void shouldCopyOtherBuffersShortAndLong(ByteBuf out) {
    ByteBuf heap = Unpooled.buffer(100);
    ByteBuf direct = Unpooled.directBuffer(100);
    try {
      for (int i = 0; i < 100; i++) {
        heap.writeByte(i + 1);
        direct.writeByte(i + 1);
      }
      FieldWriter fields = new FieldWriter();
      for (ByteBuf from : List.of(heap, direct)) {
        for (int length = 0; length <= 90; length++) {
          out.clear().writeByte(0xEE);
          fields.into(out, length + 1).bytes(from, 3, length).int8(0xDD).done();
          assertThat(ByteBufUtil.hexDump(out))
              .isEqualTo("ee" + ByteBufUtil.hexDump(from, 3, length) + "dd");
        }
        fields.into(out.clear(), 64);
        assertThatThrownBy(() -> fields.bytes(from, 90, 11))
            .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> fields.bytes(from, -1, 8))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
    } finally {
      out.release();
      heap.release();
      direct.release();
    }
  }

  @Test
  void shouldTouchNothingBehindItsRoom() {
    ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer(16, 16);
    try {
      out.setLong(0, -1).setLong(8, -1);
      new FieldWriter().into(out, 8).first(0, 3).first(0, 5).done();
      assertThat(out.getLong(8)).isEqualTo(-1);
    } finally {
      out.release();
    }
  }

  @ParameterizedTest
  @MethodSource("buffers")
  void shouldRefuseAFieldThatHasNoRoomAndWriteNothingOfIt(ByteBuf out) {
    try {
      out.setZero(0, out.capacity());
      FieldWriter fields = new FieldWriter().into(out, 7).int32(-1);
      assertThatThrownBy(() -> fields.int32(-1)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> fields.int64(-1)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> fields.first(-1, 4)).isInstanceOf(IndexOutOfBoundsException.class);
      fields.int8(1).int8(2).int8(3);
      assertThatThrownBy(() -> fields.int8(4)).isInstanceOf(IndexOutOfBoundsException.class);
      fields.done();
      assertThat(ByteBufUtil.hexDump(out)).isEqualTo("ffffffff010203");
      assertThatThrownBy(() -> fields.int8(4)).isInstanceOf(IndexOutOfBoundsException.class);
    } finally {
      out.release();
    }
  }
}
