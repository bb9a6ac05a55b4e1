package sluice.codecs.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReframerTest {
  private static List<Vectors.Vector> intact() {
    return Vectors.intact();
  }

  static int start(byte[] bytes) {
    return new Initiate().wrap(Unpooled.wrappedBuffer(bytes), 0).length();
  }

  static byte[] tail(byte[] bytes, int from) {
    return Arrays.copyOfRange(bytes, from, bytes.length);
  }

  @ParameterizedTest
  @MethodSource("intact")
  void shouldSeeEveryMessageAndPassItOnBitForBit(Vectors.Vector vector) {
    byte[] bytes = vector.bytes();
    int start = start(bytes);
    for (int size : new int[] {bytes.length + 1, 65536, 1460, 97, 1}) {
      try (Collected c =
          Collected.observing(vector.framing(), vector.framing(), vector.version())) {
        c.read(bytes, start, size);
        assertThat(c.messages).isEqualTo(Collected.described(vector.messages()));
        assertThat(c.out()).isEqualTo(tail(bytes, start));
        assertThat(c.reframer.heldBytes()).isZero();
        if (size > bytes.length && c.out().length > 0) {
          assertThat(c.pieces).isEqualTo(1);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("intact")
  void shouldKeepEveryMessageInAnyFraming(Vectors.Vector vector) {
    byte[] bytes = vector.bytes();
    int start = start(bytes);
    byte[] plain = null;
    int small = bytes.length < 4096 ? 1 : 7; // cuts at every byte of long streams are CutTest's
    for (Framing to : Framing.values()) {
      for (int size : new int[] {bytes.length + 1, 1460, small}) {
        byte[] there;
        try (Collected c = Collected.observing(vector.framing(), to, vector.version())) {
          c.read(bytes, start, size);
          assertThat(c.messages).isEqualTo(Collected.described(vector.messages()));
          there = c.out();
        }
        // And back, as the plain bytes of all frames: what a peer's decoder hands out.
        try (Collected c = Collected.observing(to, Framing.UNPROTECTED, vector.version())) {
          c.read(there, 0, there.length + 1);
          assertThat(c.messages).isEqualTo(Collected.described(vector.messages()));
          byte[] back = payloads(to == Framing.UNPROTECTED ? there : c.out());
          plain = plain == null ? back : plain;
          assertThat(back).isEqualTo(plain);
        }
      }
    }
  }

  /** All payloads of plain frames, one after the other. */
  static byte[] payloads(byte[] unprotected) {
    ByteBuf in = Unpooled.wrappedBuffer(unprotected);
    ByteBuf out = Unpooled.buffer();
    Frame frame = new Frame(Framing.UNPROTECTED);
    for (int at = 0; at < unprotected.length; at += frame.length()) {
      frame.wrap(in, at);
      out.writeBytes(in, at + 6, frame.payloadLength());
    }
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    return bytes;
  }
}
