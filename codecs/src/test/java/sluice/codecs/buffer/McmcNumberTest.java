package sluice.codecs.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.codecs.Ascii;

class McmcNumberTest {
  @ParameterizedTest
  @CsvSource(
      nullValues = "no",
      value = {
        "5,5",
        "-5,-5",
        "-,0",
        "-0,0",
        "+5,no",
        "5x,no",
        "x,no",
        "--5,no",
        "2147483647,2147483647",
        "2147483648,no",
        "-2147483648,-2147483648",
        "-2147483649,no",
        "00000000005,5",
        "000000000005,no",
        "'5\t',no",
        "'',no"
      })
  void shouldReadAsMemcachedDoes(String text, Integer value) {
    ByteBuf in = Ascii.buffer("7" + text + "7");
    int to = text.length() + 1;
    assertThat(McmcNumber.isInt(in, 1, to)).isEqualTo(value != null);
    if (value != null) {
      assertThat(McmcNumber.intValue(in, 1, to)).isEqualTo(value);
    }
  }
}
