package sluice.codecs.memcached.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.Ascii;

class Base64KeyTest {
  private static boolean isValid(String text) {
    return Base64Key.isValid(Ascii.buffer(text), 0, text.length());
  }

  @ParameterizedTest(name = "<{0}>")
  @ValueSource(strings = {"AA==", "AAA=", "AAAA", "Zm9v", "Zm9vYg==", "+/+/"})
  void shouldTakePaddedBase64(String text) {
    assertThat(isValid(text)).isTrue();
  }

  @ParameterizedTest(name = "<{0}>")
  @ValueSource(
      strings = {
        "",
        "A",
        "AA",
        "AAA",
        "A===",
        "====",
        "=AAA",
        "A=AA",
        "AA=A",
        "AA==AAAA",
        "AA A",
        "-_-_",
        "AAA\u00c1",
        "AAA\0",
        "AAAAA",
        "AAA\t"
      })
  void shouldRefuseWhatIsNoPaddedBase64(String text) {
    assertThat(isValid(text)).isFalse();
  }

  @Property
  void shouldEncodeAndDecodeAsTheJdkDoes(@ForAll @Size(max = 250) byte[] key) {
    ByteBuf encoded = Unpooled.buffer().writeByte('>');
    Base64Key.encode(Unpooled.wrappedBuffer(key), 0, key.length, encoded);
    String expected = Base64.getEncoder().encodeToString(key);
    assertThat(Ascii.text(encoded)).isEqualTo(">" + expected);
    assertThat(Base64Key.isValid(encoded, 1, encoded.writerIndex())).isEqualTo(key.length > 0);
    if (key.length > 0) {
      ByteBuf decoded = Unpooled.buffer();
      Base64Key.decode(encoded, 1, encoded.writerIndex(), decoded);
      assertThat(decoded).isEqualTo(Unpooled.wrappedBuffer(key));
    }
  }

  @Property
  void shouldDecodeWhateverItTakesAsTheJdkDoes(@ForAll("nearlyBase64") String text) {
    if (isValid(text)) {
      ByteBuf decoded = Unpooled.buffer();
      Base64Key.decode(Ascii.buffer(text), 0, text.length(), decoded);
      byte[] jdk = Base64.getDecoder().decode(text.getBytes(StandardCharsets.ISO_8859_1));
      assertThat(decoded).isEqualTo(Unpooled.wrappedBuffer(jdk));
    } else {
      assertThat(isPaddedBase64(text)).isFalse();
    }
  }

  private static boolean isPaddedBase64(String text) {
    return text.matches(
        "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)");
  }

  @Property
  void shouldSkipAndStopWhereMemcachedDoes(@ForAll("nearlyBase64") String text) {
    ByteBuf decoded = Unpooled.buffer().writeByte('>');
    int length = Base64Key.decode(Ascii.buffer("<" + text), 1, 1 + text.length(), decoded);
    String expected = skippingOthers(text);
    assertThat(Ascii.text(decoded)).isEqualTo(">" + expected);
    assertThat(length).isEqualTo(expected.length());
    assertThat(Base64Key.isReadable(Ascii.buffer(text), 0, text.length())).isEqualTo(length > 0);
  }

  @Property
  void shouldDecideTheSameBehindGoodAndBadKeys(@ForAll("nearlyBase64") String text) {
    isValid("=AAA");
    boolean behindBad = isValid(text);
    for (int i = 0; i < 65; i++) { // from then on, keys are no longer checked first
      assertThat(isValid("AAAA")).isTrue();
    }
    assertThat(isValid(text)).isEqualTo(behindBad).isEqualTo(isPaddedBase64(text));
  }

  /** What memcached's decoder (base64.c) makes of text, a character for each byte. */
  private static String skippingOthers(String text) {
    String digits = text.replaceAll("[^A-Za-z0-9+/=]", "");
    int padded = digits.indexOf('=');
    int end = padded < 0 ? digits.length() : (padded / 4 + 1) * 4;
    if (digits.isEmpty() || digits.length() % 4 != 0) {
      return "";
    }
    String read = digits.substring(0, end);
    int padding = (int) read.chars().filter(c -> c == '=').count();
    byte[] decoded = Base64.getDecoder().decode(read.replace('=', 'A'));
    String all = new String(decoded, StandardCharsets.ISO_8859_1);
    return padding > 2 ? "" : all.substring(0, all.length() - padding);
  }

  @Test
  void shouldTakeKeysLongerThanThoseWhoseArraysAreKept() {
    for (int length = 240; length < 520; length++) {
      byte[] key = new byte[length];
      Arrays.fill(key, (byte) length);
      ByteBuf encoded = Unpooled.buffer();
      Base64Key.encode(Unpooled.wrappedBuffer(key), 0, length, encoded);
      assertThat(Ascii.text(encoded)).isEqualTo(Base64.getEncoder().encodeToString(key));
      ByteBuf decoded = Unpooled.buffer();
      assertThat(Base64Key.decode(encoded, 0, encoded.writerIndex(), decoded)).isEqualTo(length);
      assertThat(decoded).isEqualTo(Unpooled.wrappedBuffer(key));
    }
  }

  @Test
  void shouldReadOnlyTheRangeItIsGiven() {
    ByteBuf line = Ascii.buffer("mg Zm9v b");
    ByteBuf decoded = Unpooled.buffer();
    assertThat(Base64Key.isValid(line, 3, 7)).isTrue();
    Base64Key.decode(line, 3, 7, decoded);
    assertThat(Ascii.text(decoded)).isEqualTo("foo");
    assertThat(line.readerIndex()).isZero();
  }

  @Provide
  Arbitrary<String> nearlyBase64() {
    Arbitrary<String> unlike = Arbitraries.strings().withChars("AZaz09+/=_\u00c3").ofMaxLength(16);
    Arbitrary<String> digits = Arbitraries.strings().withChars("AZaz09+/").ofMaxLength(64);
    Arbitrary<String> end = Arbitraries.strings().withChars("A=_").ofMaxLength(4);
    return Arbitraries.oneOf(unlike, Combinators.combine(digits, end).as(String::concat));
  }
}
