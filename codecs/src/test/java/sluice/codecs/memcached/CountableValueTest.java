package sluice.codecs.memcached;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.SliceLists;
import sluice.codecs.buffer.SliceList;

class CountableValueTest {
  private static boolean isCountable(String text) {
    boolean is = false;
    for (int size = 1; size <= Math.max(1, text.length()); size++) {
      SliceList value = SliceLists.of(text.getBytes(ISO_8859_1), size);
      boolean now = CountableValue.is(value);
      assertThat(size == 1 || now == is).isTrue();
      is = now;
      value.clear();
    }
    return is;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "10",
        "18446744073709551615",
        "0000000000000000000000000000000000000000000000000005",
        " 7",
        "\t\n+7",
        "-7",
        "9   ",
        "5\r",
        "12 monkeys",
        "5\0",
        "5\0x",
        "\r\n7\tx"
      })
  void shouldKnowWhatMemcachedCountsWith(String value) {
    assertThat(isCountable(value)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "monkeys 12",
        "12,monkeys",
        "+",
        "- 7",
        "12x",
        "x12",
        "1.5",
        "0x10",
        "\0",
        "\u00b2",
        "+-7"
      })
  void shouldKnowWhatItDoesNotCountWith(String value) {
    assertThat(isCountable(value)).isFalse();
  }
}
