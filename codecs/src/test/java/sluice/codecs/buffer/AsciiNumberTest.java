package sluice.codecs.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.math.BigInteger;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.Ascii;

class AsciiNumberTest {
  private static final BigInteger MAX_UNSIGNED = BigInteger.TWO.pow(64).subtract(BigInteger.ONE);

  private static boolean isUnsigned(String text) {
    return AsciiNumber.isUnsigned(Ascii.buffer(text), 0, text.length());
  }

  private static boolean isSigned(String text) {
    return AsciiNumber.isSigned(Ascii.buffer(text), 0, text.length());
  }

  @ParameterizedTest(name = "<{0}>")
  @ValueSource(
      strings = {"0", "7", "007", "18446744073709551615", "00000000000000000000000000000000000001"})
  void shouldReadUnsignedNumbersAsBigIntegerDoes(String text) {
    assertThat(isUnsigned(text)).isTrue();
    assertThat(AsciiNumber.unsigned(Ascii.buffer(text), 0, text.length()))
        .isEqualTo(new BigInteger(text).longValue());
  }

  @ParameterizedTest(name = "<{0}>")
  @ValueSource(
      strings = {
        "",
        " ",
        "-1",
        "+1",
        "1 ",
        " 1",
        "1a",
        "/",
        ":",
        "0x1",
        "1.0",
        "\u00b2",
        "18446744073709551616",
        "18446744073709551620",
        "28446744073709551615",
        "99999999999999999999",
        "184467440737095516150"
      })
  void shouldRefuseWhatIsNoUnsignedNumberOf64Bits(String text) {
    assertThat(isUnsigned(text)).isFalse();
  }

  @ParameterizedTest(name = "<{0}>")
  @CsvSource({
    "0, 0",
    "-0, 0",
    "+0, 0",
    "-1, -1",
    "+1, 1",
    "9223372036854775807, 9223372036854775807",
    "-9223372036854775807, -9223372036854775807",
    "-9223372036854775808, -9223372036854775808"
  })
  void shouldReadSignedNumbers(String text, long value) {
    assertThat(isSigned(text)).isTrue();
    assertThat(AsciiNumber.signed(Ascii.buffer(text), 0, text.length())).isEqualTo(value);
  }

  @ParameterizedTest(name = "<{0}>")
  @ValueSource(
      strings = {
        "",
        "-",
        "+",
        "--1",
        "+-1",
        "1-",
        "9223372036854775808",
        "+9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "-18446744073709551615"
      })
  void shouldRefuseWhatIsNoSignedNumberOf64Bits(String text) {
    assertThat(isSigned(text)).isFalse();
  }

  @Test
  void shouldReadOnlyTheRangeItIsGiven() {
    ByteBuf line = Ascii.buffer("x42y");
    assertThat(AsciiNumber.isUnsigned(line, 1, 3)).isTrue();
    assertThat(AsciiNumber.unsigned(line, 1, 3)).isEqualTo(42);
    assertThat(AsciiNumber.isUnsigned(line, 0, 3)).isFalse();
    assertThat(AsciiNumber.isUnsigned(line, 1, 4)).isFalse();
    assertThat(line.readerIndex()).isZero();
  }

  @Property
  void shouldWriteUnsignedNumbersAsLongDoes(@ForAll long value) {
    ByteBuf out = Unpooled.buffer(1).writeByte('>');
    AsciiNumber.writeUnsigned(out, value);
    assertThat(Ascii.text(out)).isEqualTo(">" + Long.toUnsignedString(value));
    assertThat(AsciiNumber.isUnsigned(out, 1, out.writerIndex())).isTrue();
    assertThat(AsciiNumber.unsigned(out, 1, out.writerIndex())).isEqualTo(value);
  }

  @Property
  void shouldWriteSignedNumbersAsLongDoes(@ForAll long value) {
    ByteBuf out = Unpooled.buffer(1);
    AsciiNumber.writeSigned(out, value);
    assertThat(Ascii.text(out)).isEqualTo(Long.toString(value));
    assertThat(AsciiNumber.isSigned(out, 0, out.writerIndex())).isTrue();
    assertThat(AsciiNumber.signed(out, 0, out.writerIndex())).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 9, 10, 99, 100, Long.MAX_VALUE, Long.MIN_VALUE, -1, -10})
  void shouldWriteEveryNumberOfDigits(long value) {
    ByteBuf out = Unpooled.buffer(1);
    AsciiNumber.writeUnsigned(out, value);
    out.writeByte('|');
    AsciiNumber.writeSigned(out, value);
    assertThat(Ascii.text(out)).isEqualTo(Long.toUnsignedString(value) + "|" + value);
  }

  @Test
  void shouldWriteEveryPowerOfTenAndItsNeighbours() {
    for (BigInteger power = BigInteger.ONE; power.bitLength() <= 64; ) {
      for (int offset = -1; offset <= 1; offset++) {
        BigInteger value = power.add(BigInteger.valueOf(offset));
        ByteBuf out = Unpooled.buffer(1);
        AsciiNumber.writeUnsigned(out, value.longValue());
        assertThat(Ascii.text(out)).isEqualTo(value.toString());
      }
      power = power.multiply(BigInteger.TEN);
    }
  }

  @Property
  void shouldAcceptDigitsExactlyWhenBigIntegerSaysThatTheyFit(@ForAll("digits") String digits) {
    BigInteger value = new BigInteger(digits);
    assertThat(isUnsigned(digits)).isEqualTo(value.compareTo(MAX_UNSIGNED) <= 0);
    assertThat(isSigned(digits)).isEqualTo(value.bitLength() <= 63);
    assertThat(isSigned("-" + digits)).isEqualTo(value.negate().bitLength() <= 63);
  }

  @Property
  void shouldAgreeWithBigIntegerOnAnyBytes(@ForAll("nearlyNumbers") String text) {
    boolean signed = text.matches("[+-]?[0-9]+") && new BigInteger(text).bitLength() <= 63;
    assertThat(isSigned(text)).isEqualTo(signed);
    if (signed) {
      assertThat(AsciiNumber.signed(Ascii.buffer(text), 0, text.length()))
          .isEqualTo(new BigInteger(text).longValueExact());
    }
  }

  @Provide
  Arbitrary<String> digits() {
    Arbitrary<String> nearTheEdges =
        Arbitraries.bigIntegers()
            .between(BigInteger.valueOf(-20), BigInteger.valueOf(20))
            .flatMap(
                offset ->
                    Arbitraries.of(
                        MAX_UNSIGNED.add(offset).toString(),
                        BigInteger.TWO.pow(63).add(offset).toString()));
    return Arbitraries.oneOf(
        nearTheEdges, Arbitraries.strings().numeric().ofMinLength(1).ofMaxLength(24));
  }

  @Provide
  Arbitrary<String> nearlyNumbers() {
    return Arbitraries.strings().withChars("0123456789+-/:a \u00ff").ofMaxLength(21);
  }
}
