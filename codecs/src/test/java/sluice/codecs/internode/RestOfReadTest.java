package sluice.codecs.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Frames that are incomplete when a read has been processed. */
class RestOfReadTest {
  private static final int READ = 64 * 1024;

  /** Two frames, of which the first takes up all of a read but a few bytes. */
  private static byte[] frames(int behind) {
    ByteBuf out = Unpooled.buffer();
    for (int length : new int[] {READ - behind - 10, 5000}) {
      int start = out.writerIndex();
      out.writeZero(Framing.CRC.headerLength());
      Frame.setHeader(out, start, Framing.CRC, length, 0, true);
      out.writeZero(length);
      out.writeIntLE(new FrameCrc32().of(out, out.writerIndex() - length, length));
    }
    return ByteBufUtil.getBytes(out);
  }

  @ParameterizedTest
  @EnumSource(names = {"CRC", "UNPROTECTED"})
  void shouldNotKeepTheBufferOfAReadForItsLastBytes(Framing to) {
    for (int behind : new int[] {1, 7, 4000}) {
      byte[] stream = frames(behind);
      try (Collected c = Collected.ofFrames(Framing.CRC, to)) {
        c.read(stream, 0, READ, true);
        assertThat(c.reframer.heldBytes()).isEqualTo(behind);
        assertThat(c.directMemory()).isLessThan(2 * behind + 1024);
        c.read(stream, READ, stream.length - READ, true);
        assertThat(c.reframer.heldBytes()).isZero();
        assertThat(c.reframer.framesWritten()).isEqualTo(2);
        if (to == Framing.CRC) {
          assertThat(Arrays.equals(c.out(), stream)).isTrue();
        }
      }
    }
  }
}
