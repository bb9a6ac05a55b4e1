package sluice.codecs.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.codecs.Ascii;

/** What C's strtol and strtoul read; the gateway's suite asks a memcached. */
class StrtolNumberTest {
  @ParameterizedTest
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      nullValues = "no",
      value = {
        "5,5,5",
        "005,5,5",
        "+5,5,5",
        "-5,-5,no",
        "-0,0,0",
        "5\t,5,5",
        "5\r,5,5",
        "5\0,5,5",
        "-5\0x,-5,no",
        "\0,no,no",
        "-\0,no,no",
        "5\u000b6,5,5",
        "\t\f5,5,5",
        "\t-5\tx,-5,no",
        "5x,no,no",
        "x,no,no",
        "\t,no,no",
        "-,no,no",
        "+,no,no",
        "--5,no,no",
        "+ 5,no,no",
        "9223372036854775807,9223372036854775807,9223372036854775807",
        "9223372036854775808,no,-9223372036854775808",
        "-9223372036854775808,-9223372036854775808,no",
        "-9223372036854775809,no,9223372036854775807",
        "18446744073709551615,no,-1",
        "18446744073709551616,no,no",
        "-18446744073709551615,no,1",
        "-18446744073709551616,no,no"
      })
  void shouldReadAsTheCLibraryDoes(String text, Long signed, Long unsigned) {
    ByteBuf in = Ascii.buffer("7" + text + "7"); // the neighbours must not count
    int to = text.length() + 1;
    assertThat(StrtolNumber.isSigned(in, 1, to)).isEqualTo(signed != null);
    assertThat(StrtolNumber.isUnsigned(in, 1, to)).isEqualTo(unsigned != null);
    if (signed != null) {
      assertThat(StrtolNumber.signed(in, 1, to)).isEqualTo(signed);
    }
    if (unsigned != null) {
      assertThat(StrtolNumber.unsigned(in, 1, to)).isEqualTo(unsigned);
    }
  }

  @Property
  void shouldReadWhatPlainNumbersAre(@ForAll long value) {
    ByteBuf in = Ascii.buffer(Long.toString(value));
    assertThat(StrtolNumber.isSigned(in, 0, in.writerIndex())).isTrue();
    assertThat(StrtolNumber.signed(in, 0, in.writerIndex())).isEqualTo(value);
    ByteBuf unsigned = Ascii.buffer(Long.toUnsignedString(value));
    assertThat(StrtolNumber.isUnsigned(unsigned, 0, unsigned.writerIndex())).isTrue();
    assertThat(StrtolNumber.unsigned(unsigned, 0, unsigned.writerIndex())).isEqualTo(value);
  }

  @Property
  void shouldReadNothingOutsideTheToken(
      @ForAll
          @Chars({' ', '\t', '\r', '-', '+', 'x'})
          @CharRange(from = '0', to = '9')
          @StringLength(max = 24)
          String text) {
    ByteBuf in = Ascii.buffer(text);
    int to = text.length();
    if (StrtolNumber.isSigned(in, 0, to)) {
      StrtolNumber.signed(in, 0, to);
    }
    if (StrtolNumber.isUnsigned(in, 0, to)) {
      StrtolNumber.unsigned(in, 0, to);
    }
  }
}
