package sluice.codecs.buffer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Utf8Test {
  private final Utf8 utf8 = new Utf8();

  /** Java's decoder replaces what is not valid, so that other bytes come out. */
  private static boolean survives(byte[] bytes) {
    return Arrays.equals(new String(bytes, UTF_8).getBytes(UTF_8), bytes);
  }

  private void check(byte[] bytes) {
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    boolean expected = survives(bytes);
    assertThat(utf8.isValid(in, 0, bytes.length)).isEqualTo(expected);
    for (int cut = 0; cut <= bytes.length; cut++) {
      boolean inPieces =
          utf8.reset().accepts(in, 0, cut) && utf8.accepts(in, cut, bytes.length) && utf8.isWhole();
      assertThat(inPieces).isEqualTo(expected);
    }
  }

  @Test
  void shouldTakeWhatJavasDecoderTakesWithoutReplacingWhereverItIsCut() {
    for (int first = 0; first < 256; first++) {
      check(new byte[] {(byte) first});
      for (int second = 0; second < 256; second++) {
        check(new byte[] {(byte) first, (byte) second});
        check(new byte[] {(byte) first, (byte) second, (byte) 0x80});
        check(new byte[] {(byte) first, (byte) second, (byte) 0xBF, (byte) 0xBF});
      }
    }
  }

  @Test
  void shouldFindOneWrongByteAmongManyThatAreAscii() {
    for (int at = 0; at < 40; at++) {
      byte[] bytes = "a".repeat(40).getBytes(UTF_8);
      bytes[at] = (byte) 0xFF;
      check(bytes);
    }
    check("\u00e9t\u00e9 \u20ac \ud83d\ude00 and more ascii, more than eight".getBytes(UTF_8));
  }

  @Test
  void shouldAgreeOnRandomBytes() {
    Random random = new Random(8);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(12)];
      for (int j = 0; j < bytes.length; j++) {
        bytes[j] = (byte) (random.nextBoolean() ? 0x80 + random.nextInt(64) : random.nextInt());
      }
      check(bytes);
    }
  }
}
