package sluice.codecs.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class BytesTest {
  @Property
  void shouldTellWhichBytesOfTwoWordsAreEqual(
      @ForAll @Size(8) byte[] one, @ForAll @IntRange(max = 255) int same) {
    byte[] other = new byte[8];
    byte[] expected = new byte[8];
    for (int i = 0; i < 8; i++) {
      other[i] = (same & (1 << i)) == 0 ? (byte) (one[i] + 1 + 40 * i) : one[i]; // never 256 more
      expected[i] = one[i] == other[i] ? (byte) 0x80 : 0;
    }
    assertThat(Bytes.equal(word(one), word(other))).isEqualTo(word(expected));
    assertThat(Bytes.equal(word(one), word(one))).isEqualTo(Bytes.eight((char) 0x80));
  }

  private static long word(byte[] bytes) {
    return ByteBuffer.wrap(bytes).getLong();
  }

  @Property
  void shouldReadTheLastBytesBeforeAnIndexWhateverLiesAroundThem(
      @ForAll @Size(max = 7) byte[] bytes,
      @ForAll @IntRange(max = 9) int before,
      @ForAll @IntRange(max = 9) int behind) {
    ByteBuf buffer = Unpooled.directBuffer(before + bytes.length + behind);
    try {
      for (int i = 0; i < before; i++) {
        buffer.writeByte(0xEE);
      }
      buffer.writeBytes(bytes);
      for (int i = 0; i < behind; i++) {
        buffer.writeByte(0xDD);
      }
      byte[] eight = new byte[8];
      System.arraycopy(bytes, 0, eight, 8 - bytes.length, bytes.length);
      assertThat(Bytes.before(buffer, before + bytes.length, bytes.length)).isEqualTo(word(eight));
      assertThat(buffer.readerIndex()).isZero();
    } finally {
      buffer.release();
    }
  }
}
