package sluice.codecs.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.IllegalReferenceCountException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FieldReaderTest {
  private static final String BYTES = "ee" + "81" + "8203" + "84050607" + "88090a0b0c0d0e0f" + "dd";

  /** Kinds of buffers with these bytes: with an address and without, roots and slices. */
  static List<ByteBuf> buffers() {
    byte[] bytes = ByteBufUtil.decodeHexDump(BYTES);
    ByteBuf read = ByteBufAllocator.DEFAULT.directBuffer(64).writeZero(7).writeBytes(bytes);
    ByteBuf slice = new Slices().take(read, 7, bytes.length);
    read.release(); // the slice keeps it
    return List.of(
        Unpooled.wrappedBuffer(bytes),
        Unpooled.directBuffer(bytes.length, bytes.length).writeBytes(bytes),
        ByteBufAllocator.DEFAULT.directBuffer(bytes.length, bytes.length).writeBytes(bytes),
        Unpooled.directBuffer(64).writeZero(5).writeBytes(bytes).slice(5, bytes.length),
        slice,
        Unpooled.wrappedBuffer(
            Unpooled.wrappedBuffer(bytes, 0, 6),
            Unpooled.directBuffer(16).writeBytes(bytes, 6, bytes.length - 6)));
  }

  @ParameterizedTest
  @MethodSource("buffers")
  void shouldReadEachFieldWhereItLies(ByteBuf in) {
    try {
      FieldReader fields = new FieldReader().of(in, 1, 15);
      assertThat(fields.length()).isEqualTo(15);
      assertThat(fields.int8(0)).isEqualTo((byte) 0x81);
      assertThat(fields.unsigned8(0)).isEqualTo(0x81);
      assertThat(fields.unsigned16(1)).isEqualTo(0x8203);
      assertThat(fields.int32(3)).isEqualTo(0x84050607);
      assertThat(fields.unsigned32(3)).isEqualTo(0x84050607L);
      assertThat(fields.int64(7)).isEqualTo(0x88090a0b0c0d0e0fL);
      fields.of(in, 4, 4); // again, elsewhere
      assertThat(fields.int32(0)).isEqualTo(0x84050607);
    } finally {
      in.release();
    }
  }

  @ParameterizedTest
  @MethodSource("buffers")
  void shouldReadNothingBesideTheMessage(ByteBuf in) {
    try {
      FieldReader fields = new FieldReader().of(in, 1, 8);
      fields.int8(7);
      fields.unsigned16(6);
      fields.int32(4);
      fields.int64(0);
      for (int offset : new int[] {-1, 8}) {
        assertThatThrownBy(() -> fields.int8(offset)).isInstanceOf(IndexOutOfBoundsException.class);
      }
      for (int offset : new int[] {-1, 7}) {
        assertThatThrownBy(() -> fields.unsigned16(offset))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
      for (int offset : new int[] {-1, 5}) {
        assertThatThrownBy(() -> fields.int32(offset))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
      for (int offset : new int[] {-1, 1}) {
        assertThatThrownBy(() -> fields.int64(offset))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
    } finally {
      in.release();
    }
  }

  @ParameterizedTest
  @MethodSource("buffers")
  void shouldRefuseAMessageThatIsNotAllThere(ByteBuf in) {
    int end = in.capacity();
    FieldReader fields = new FieldReader();
    fields.of(in, end - 4, 4);
    assertThatThrownBy(() -> fields.of(in, end - 4, 5))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> fields.of(in, -1, 4)).isInstanceOf(IndexOutOfBoundsException.class);
    in.release();
  }

  @ParameterizedTest
  @MethodSource("buffers")
  void shouldRefuseABufferThatWasReleased(ByteBuf in) {
    in.release();
    FieldReader fields = new FieldReader();
    assertThatThrownBy(() -> fields.of(in, 0, 1))
        .isInstanceOf(IllegalReferenceCountException.class);
  }
}
