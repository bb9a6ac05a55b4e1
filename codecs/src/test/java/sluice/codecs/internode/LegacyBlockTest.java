package sluice.codecs.internode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import net.jpountz.lz4.LZ4BlockOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.ProtocolException;

class LegacyBlockTest {
  private static final int HANDSHAKE = 8 + 9;

  /** Both streams hold the same messages but for the milliseconds at which they were written. */
  @ParameterizedTest
  @ValueSource(ints = {10, 11})
  void shouldDecompressWhatCassandraCompressed(int version) {
    ByteBuf in = Vectors.buffer("synthetic/legacy-v" + version + "-lz4-c2s.bin");
    ByteBuf plain = Vectors.buffer("synthetic/legacy-v" + version + "-plain-c2s.bin");
    ByteBuf out = Unpooled.buffer();
    int at = HANDSHAKE;
    while (at < in.readableBytes()) {
      LegacyBlock.decompress(in, at, out);
      at += LegacyBlock.length(in, at);
    }
    assertThat(at).isEqualTo(in.readableBytes());
    assertThat(out.readableBytes()).isEqualTo(plain.readableBytes() - HANDSHAKE);
    // magic and id, then the time, then sender and verb of the first message
    assertThat(out.slice(0, 8)).isEqualTo(plain.slice(HANDSHAKE, 8));
    assertThat(out.slice(12, 17)).isEqualTo(plain.slice(HANDSHAKE + 12, 17));
  }

  @Test
  void shouldReadEveryKindOfBlock() throws IOException {
    byte[] noise = new byte[70_000];
    new Random(3).nextBytes(noise);
    Arrays.fill(noise, 0, 35_000, (byte) 7);
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    try (LZ4BlockOutputStream out = new LZ4BlockOutputStream(written, 32 * 1024)) {
      out.write(noise);
    }
    ByteBuf in = Unpooled.wrappedBuffer(written.toByteArray());
    ByteBuf out = Unpooled.buffer();
    int at = 0;
    boolean ended = false;
    while (at < in.readableBytes()) {
      ended = LegacyBlock.plainLength(in, at) == 0;
      LegacyBlock.decompress(in, at, out);
      at += LegacyBlock.length(in, at);
    }
    assertThat(ended).isTrue();
    assertThat(out).isEqualTo(Unpooled.wrappedBuffer(noise));
    in.setByte(30, in.getByte(30) + 1);
    assertThatThrownBy(() -> LegacyBlock.decompress(in, 0, Unpooled.buffer()))
        .isInstanceOf(ProtocolException.class);
  }

  @Test
  void shouldRefuseLengthsThatLie() {
    ByteBuf in = Vectors.buffer("synthetic/legacy-v11-lz4-c2s.bin");
    for (int field : new int[] {0, 8, 9, 13}) {
      ByteBuf changed = in.copy(HANDSHAKE, in.readableBytes() - HANDSHAKE);
      changed.setByte(field, field == 8 ? 0x35 : 0xFF).setByte(field + 3, 0xFF);
      assertThatThrownBy(() -> LegacyBlock.length(changed, 0))
          .as("byte " + field)
          .isInstanceOf(ProtocolException.class);
    }
  }
}
