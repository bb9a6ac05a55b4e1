package sluice.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReplyFingerprintTest {
  private static final int LONGEST = 100;

  private final Random random = new Random(7);

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static long of(boolean packet, byte[] bytes) {
    ReplyFingerprint fingerprint = new ReplyFingerprint(packet);
    fingerprint.add(Unpooled.wrappedBuffer(bytes));
    return fingerprint.value();
  }

  private static byte[] changed(byte[] bytes, int bit) {
    byte[] changed = bytes.clone();
    changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
    return changed;
  }

  @Test
  void shouldNotDependOnTheCuts() {
    for (int length = 0; length <= LONGEST; length++) {
      byte[] bytes = bytes(length);
      ByteBuf whole = Unpooled.wrappedBuffer(bytes);
      for (int run = 0; run < 20; run++) {
        ReplyFingerprint cut = new ReplyFingerprint(false);
        for (int at = 0; at < length; ) {
          int next = Math.min(length, at + random.nextInt(20));
          cut.add(whole.slice(at, next - at));
          at = next;
        }
        assertThat(cut.value()).isEqualTo(of(false, bytes));
      }
    }
  }

  @Test
  void shouldDifferForEachBitAndLength() {
    Set<Long> seen = new HashSet<>();
    byte[] zeros = new byte[LONGEST];
    for (int length = 0; length <= LONGEST; length++) {
      assertThat(seen.add(of(false, Arrays.copyOf(zeros, length)))).isTrue();
    }
    for (int one = 0; one < LONGEST * Byte.SIZE; one++) {
      assertThat(seen.add(of(false, changed(zeros, one)))).isTrue();
      for (int other = 0; other < one; other++) { // the one does not make up for the other
        assertThat(seen.add(of(false, changed(changed(zeros, one), other)))).isTrue();
      }
    }
  }

  @Test
  void shouldLeaveOutTheCasOfAPacketAlone() {
    byte[] bytes = bytes(LONGEST);
    for (int bit = 0; bit < LONGEST * Byte.SIZE; bit++) {
      boolean cas = bit / Byte.SIZE >= 16 && bit / Byte.SIZE < 24;
      boolean same = of(true, changed(bytes, bit)) == of(true, bytes);
      assertThat(same).isEqualTo(cas);
      assertThat(of(false, changed(bytes, bit))).isNotEqualTo(of(false, bytes));
    }
  }
}
