package sluice.codecs.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import sluice.codecs.Ascii;

class KeyHashTest {
  private static long of(byte... key) {
    return KeyHash.of(Unpooled.wrappedBuffer(key), 0, key.length);
  }

  @Property
  void shouldDependOnTheBytesAloneAndNotOnWhereTheyLie(
      @ForAll @Size(max = 250) byte[] key, @ForAll @IntRange(max = 9) int before) {
    ByteBuf direct = Unpooled.directBuffer(before + key.length + 1);
    CompositeByteBuf composite = Unpooled.compositeBuffer();
    try {
      direct.writeZero(before).writeBytes(key).writeByte('x');
      int half = key.length / 2;
      composite.addComponent(true, Unpooled.copiedBuffer(key, 0, half));
      composite.addComponent(true, Unpooled.copiedBuffer(key, half, key.length - half));
      assertThat(KeyHash.of(direct, before, before + key.length)).isEqualTo(of(key));
      assertThat(KeyHash.of(composite, 0, key.length)).isEqualTo(of(key));
      assertThat(direct.readerIndex()).isZero();
    } finally {
      direct.release();
      composite.release();
    }
  }

  @Property
  void shouldTellKeysApartThatDifferInOneByte(
      @ForAll @Size(min = 1, max = 250) byte[] key,
      @ForAll @IntRange(max = 249) int position,
      @ForAll @IntRange(min = 1, max = 255) int change) {
    byte[] other = key.clone();
    other[position % key.length] ^= (byte) change;
    assertThat(of(other)).isNotEqualTo(of(key));
  }

  @Property
  void shouldTellAKeyFromItsContinuation(@ForAll @Size(max = 250) byte[] key) {
    byte[] longer = java.util.Arrays.copyOf(key, key.length + 1);
    assertThat(of(longer)).isNotEqualTo(of(key));
  }

  @Test
  void shouldNotCollideForTheKeysThatApplicationsNumber() {
    Map<Long, String> seen = new HashMap<>();
    for (String form : new String[] {"k%d", "user:%08d", "session:%d:profile", "%020d"}) {
      for (int i = 0; i < 50_000; i++) {
        String key = String.format(form, i);
        String other = seen.put(KeyHash.of(Ascii.buffer(key), 0, key.length()), key);
        assertThat(other).as("another key with the fingerprint of %s", key).isNull();
      }
    }
  }
}
