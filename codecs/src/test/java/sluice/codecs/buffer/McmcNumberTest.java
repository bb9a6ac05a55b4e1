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

  @ParameterizedTest
  @CsvSource({
    "5,true,true",
    "-5,false,false",
    "-,false,false",
    "+5,false,false",
    "5x,false,false",
    "'',false,false",
    "4294967295,true,true",
    "4294967296,false,true",
    "00000000005,true,true",
    "000000000005,false,true",
    "18446744073709551615,false,true",
    "18446744073709551616,false,false",
    "0000000000000000000005,false,true",
    "00000000000000000000005,false,false"
  })
  void shouldReadUnsignedNumbersAsMemcachedDoes(String text, boolean isInt, boolean isLong) {
    ByteBuf in = Ascii.buffer("7" + text + "7");
    int to = text.length() + 1;
    assertThat(McmcNumber.isUnsignedInt(in, 1, to)).isEqualTo(isInt);
    assertThat(McmcNumber.isUnsignedLong(in, 1, to)).isEqualTo(isLong);
  }
}
