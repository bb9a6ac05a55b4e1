package sluice.gateway.route.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Numbers are those of mcrouter's own tests: lib/fbi/test/hash_test.cpp, lib/test/Ch3HashTest.cpp.
 */
class FurcTest {
  private static int place(byte[] key, int members) {
    ByteBuf buffer = Unpooled.wrappedBuffer(new byte[] {'g', '|', '#'}, key, new byte[] {'|'});
    return new Furc(members).memberOf(Furc.hash(buffer, 3, key.length));
  }

  private static int place(String key, int members) {
    return place(key.getBytes(StandardCharsets.ISO_8859_1), members);
  }

  @Test
  void shouldPlaceKeysWhereMcrouterDoes() throws IOException {
    List<String> lines;
    try (InputStream in = FurcTest.class.getResourceAsStream("furc.txt")) {
      lines =
          new String(in.readAllBytes(), StandardCharsets.US_ASCII)
              .lines()
              .filter(line -> !line.startsWith("#"))
              .toList();
    }
    assertThat(lines).hasSize(246);
    for (String line : lines) {
      String[] parts = line.split(" ");
      assertThat(place(parts[0], Integer.parseInt(parts[1])))
          .as(line)
          .isEqualTo(Integer.parseInt(parts[2]));
    }
  }

  @ParameterizedTest(name = "\"{0}\" of {1}")
  @CsvSource({
    "sample, 100, 97",
    "sample, 1, 0",
    "'', 100, 72",
    "'', 1, 0",
    "'', 8388608, 6173600",
    "sample, 8388608, 5167780"
  })
  void shouldPlaceShortKeysWhereMcrouterDoes(String key, int members, int expected) {
    assertThat(place(key, members)).isEqualTo(expected);
  }

  @Test
  void shouldPlaceAnyBytesWhereMcrouterDoes() {
    byte[] rising = new byte[256];
    byte[] falling = new byte[256];
    for (int i = 0; i < 256; i++) {
      rising[i] = (byte) (i - 128);
      falling[255 - i] = rising[i];
    }
    assertThat(place(rising, 99_999)).isEqualTo(31_015);
    assertThat(place(falling, 99_999)).isEqualTo(67_101);
  }

  @Test
  void shouldSpreadNumbersAsMcrouterDoes() {
    int[] three = new int[3];
    IntStream.range(0, 1000).forEach(i -> three[place("" + i, 3)]++);
    assertThat(three).containsExactly(307, 342, 351);
    int[] ten = new int[10];
    IntStream.range(0, 10_000).forEach(i -> ten[place("" + i, 10)]++);
    assertThat(ten).containsExactly(995, 955, 1046, 968, 1032, 972, 1016, 1038, 1010, 968);
  }

  @Test
  void shouldNotLookBehindTheHashStop() {
    for (String tail : List.of("|#|", "|#|more", "|#||#|")) {
      assertThat(place("sample" + tail, 100)).isEqualTo(97);
    }
    assertThat(place("|#|x", 100)).isEqualTo(72);
    // that of the buffer's next byte is not the key's
    assertThat(place("sample|#", 8_388_608)).isNotEqualTo(5_167_780);
    assertThat(place("a||#|b", 1000)).isEqualTo(place("a|", 1000)).isNotEqualTo(place("a", 1000));
  }

  @Test
  void shouldMoveKeysToANewMemberOnly() {
    for (int i = 0; i < 2_000; i++) {
      int before = place("key:" + i, 12);
      int after = place("key:" + i, 13);
      assertThat(after).isIn(before, 12);
    }
  }

  @Test
  void shouldRefuseMoreMembersThanItsBitsAreFor() {
    assertThatThrownBy(() -> new Furc(Furc.MOST_MEMBERS + 1))
        .hasMessage("servers: found 8388609, expected at most 8388608");
  }
}
