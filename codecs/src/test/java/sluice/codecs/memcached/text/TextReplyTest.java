package sluice.codecs.memcached.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.Ascii;

class TextReplyTest {
  @ParameterizedTest(name = "<{0}>")
  @ValueSource(
      strings = {
        "ERROR",
        "ERROR Too many open connections",
        "Error on line 1",
        "CLIENT_ERROR bad data chunk",
        "SERVER_ERROR out of memory",
        "SERVER_ERROR"
      })
  void shouldKnowErrorLines(String text) {
    assertThat(TextReply.isError(Ascii.buffer(text), 0, text.length())).isTrue();
  }

  @ParameterizedTest(name = "<{0}>")
  @ValueSource(
      strings = {
        "",
        "E",
        "END",
        "EN",
        "EXISTS",
        "ERRO",
        "STORED",
        "SERVER",
        "CLIENT_ERRO",
        "error"
      })
  void shouldNotTakeOtherLinesForErrors(String text) {
    assertThat(TextReply.isError(Ascii.buffer(text), 0, text.length())).isFalse();
  }

  @ParameterizedTest(name = "<{0}>")
  @CsvSource({
    "VALUE k 0 5,           5",
    "VALUE k 0 0,           0",
    "VALUE k 4294967295 5 9, 5",
    "VALUE k 0 2147483645,  2147483645",
    "VALUE k 0 2147483646,  -1",
    "VALUE k 0 18446744073709551615, -1",
    "VALUE k 0 99999999999999999999, -1",
    "VALUE k 0 -1,          -1",
    "VALUE k 0 5x,          -1",
    "VALUE k 0,             -1",
    "VALUE k,               -1",
    "'VALUE k 0 ',          -1",
    "'VALUE k  5',          -1"
  })
  void shouldReadTheSizeOfAValue(String text, int size) {
    int keyEnd = TextReply.tokenEnd(Ascii.buffer(text), 6, text.length());
    assertThat(keyEnd).isEqualTo(7);
    assertThat(TextReply.valueSize(Ascii.buffer(text), keyEnd, text.length())).isEqualTo(size);
  }

  @Property
  void shouldReadLinesAsANaiveSplitDoesWhereverTheyLie(
      @ForAll("lines") String text, @ForAll @IntRange(max = 9) int before) {
    ByteBuf in = Ascii.buffer("5".repeat(before) + text + "55555555");
    int to = before + text.length();
    assertThat(TextReply.isValue(in, before, to))
        .isEqualTo(text.length() > 7 && text.startsWith("VALUE "));
    int space = text.indexOf(' ');
    int keyEnd = TextReply.tokenEnd(in, before, to);
    assertThat(keyEnd - before).isEqualTo(space < 0 ? text.length() : space);
    String[] parts = text.substring(keyEnd - before).split(" ", -1);
    boolean known =
        parts.length > 2
            && !parts[1].isEmpty()
            && parts[2].matches("0*[0-9]{1,10}")
            && Long.parseLong(parts[2]) <= Integer.MAX_VALUE - 2;
    assertThat(TextReply.valueSize(in, keyEnd, to))
        .isEqualTo(known ? Integer.parseInt(parts[2]) : -1);
  }

  @Provide
  Arbitrary<String> lines() {
    Arbitrary<String> any = Arbitraries.strings().withChars("  0199x\u00ff").ofMaxLength(40);
    return Arbitraries.oneOf(any, any.map(rest -> "VALUE " + rest));
  }

  @Test
  void shouldCompareWithinTheLineOnly() {
    assertThat(TextReply.startsWith(Ascii.buffer("ENDX"), 0, 2, "END")).isFalse();
    assertThat(TextReply.startsWith(Ascii.buffer("xEND"), 1, 4, "END")).isTrue();
    assertThat(TextReply.is(Ascii.buffer("END "), 0, 4, "END")).isFalse();
    assertThat(TextReply.is(Ascii.buffer("END "), 0, 3, "END")).isTrue();
  }

  @Test
  void shouldFindTheEndOfATokenAtASpaceOrAtTheLinesEnd() {
    assertThat(TextReply.tokenEnd(Ascii.buffer("ab c"), 0, 4)).isEqualTo(2);
    assertThat(TextReply.tokenEnd(Ascii.buffer("ab c"), 3, 4)).isEqualTo(4);
    assertThat(TextReply.tokenEnd(Ascii.buffer("ab c"), 2, 4)).isEqualTo(2);
    assertThat(TextReply.tokenEnd(Ascii.buffer("ab c"), 4, 4)).isEqualTo(4);
  }
}
