package sluice.codecs.memcached.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
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

class TextLineTest {
  private final TextLine line = new TextLine();

  private static List<String> tokens(TextLine line) {
    return IntStream.range(0, line.count()).mapToObj(line::string).toList();
  }

  private TextLine wrap(String text) {
    return line.wrap(Ascii.buffer(text), 0, text.length());
  }

  @ParameterizedTest(name = "<{0}>")
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "'',''",
        "' ',''",
        "'     ',''",
        "get,get",
        "get k,get|k",
        "  get   k  ,get|k",
        "get k1 k2 k3,get|k1|k2|k3",
        "get\tk,get\tk",
        "get k\r,get|k\r",
        "'get \u00ff\u0080',get|\u00ff\u0080"
      })
  void shouldSplitAtSpacesOnly(String text, String joined) {
    assertThat(String.join("|", tokens(wrap(text)))).isEqualTo(joined);
    assertThat(line.count()).isEqualTo(joined.isEmpty() ? 0 : joined.split("\\|").length);
  }

  @Test
  void shouldTellOfANulWhereverItStands() {
    assertThat(wrap("\0").hasNul()).isTrue();
    assertThat(wrap("get k\0").hasNul()).isTrue();
    assertThat(wrap("get \0k v").hasNul()).isTrue();
    assertThat(wrap("get k").hasNul()).isFalse();
  }

  @Test
  void shouldKnowNothingOfTheLineBefore() {
    wrap("set a b c d\0");
    assertThat(tokens(wrap("get k"))).containsExactly("get", "k");
    assertThat(line.hasNul()).isFalse();
    assertThat(wrap("").count()).isZero();
  }

  @Test
  void shouldReadTheRangeAndNothingAroundIt() {
    ByteBuf stream = Ascii.buffer("version\r\nget kk\r\nset");
    line.wrap(stream, 9, 15);
    assertThat(tokens(line)).containsExactly("get", "kk");
    assertThat(line.start(1)).isEqualTo(13);
    assertThat(line.end(1)).isEqualTo(15);
    assertThat(line.length(1)).isEqualTo(2);
    assertThat(line.buffer()).isSameAs(stream);
    assertThat(stream.readerIndex()).isZero();
  }

  @Test
  void shouldCompareWholeTokens() {
    wrap("noreply no");
    assertThat(line.is(0, "noreply")).isTrue();
    assertThat(line.is(0, "norepl")).isFalse();
    assertThat(line.is(0, "noreply ")).isFalse();
    assertThat(line.is(0, "Noreply")).isFalse();
    assertThat(line.is(1, "noreply")).isFalse();
  }

  @Property
  void shouldSplitAsANaiveSplitDoes(@ForAll("lines") String text) {
    List<String> naive = Arrays.stream(text.split(" ")).filter(each -> !each.isEmpty()).toList();
    assertThat(tokens(wrap(text))).isEqualTo(naive);
    assertThat(line.hasNul()).isEqualTo(text.indexOf('\0') >= 0);
  }

  @Provide
  Arbitrary<String> lines() {
    return Arbitraries.strings().withChars("  ab\t\0\r\u00ff").ofMaxLength(120);
  }

  @ParameterizedTest(name = "\"{0}\"")
  @ValueSource(strings = {"get a\r\n", "get a b\r\n", "delete key12345 noreply\r\n"})
  void shouldCallALineRegularThatIsWrittenAsThisGatewayWould(String text) {
    assertThat(line.wrapWithEnd(Ascii.buffer(text), 0, text.length()).isRegular()).isTrue();
  }

  @ParameterizedTest(name = "\"{0}\"")
  @ValueSource(
      strings = {
        "get a\n",
        " get a\r\n",
        "get  a\r\n",
        "get a \r\n",
        "get a  b\r\n",
        "\r\n",
        "get abcdefgh \r\n"
      })
  void shouldNotCallAnyOtherLineRegular(String text) {
    assertThat(line.wrapWithEnd(Ascii.buffer(text), 0, text.length()).isRegular()).isFalse();
  }

  @ParameterizedTest(name = "\"{0}\"")
  @CsvSource(
      delimiter = '|',
      value = {"get a\0b c | get,a", "get \0a | get", "get a b\0 c\0 | get,a,b", "get a | get,a"})
  void shouldEndALineAtItsFirstNul(String escaped, String tokens) {
    String text = escaped.replace("\\0", "\0") + "\r\n";
    line.wrapWithEnd(Ascii.buffer(text), 0, text.length());
    line.cutAtNul();
    assertThat(String.join(",", tokens(line))).isEqualTo(tokens);
    assertThat(line.hasNul()).isFalse();
  }

  @Test
  void shouldReadALineOfAnyLengthInParts() {
    StringBuilder text = new StringBuilder("gat 0");
    for (int i = 0; i < 10_000; i++) {
      text.append(i % 3 == 0 ? "  " : " ").append('k').append(i);
    }
    text.append("   ");
    wrap(text.toString());
    assertThat(line.count()).isEqualTo(TextLine.MOST_TOKENS);
    assertThat(line.isWhole()).isFalse();
    int prefix = line.end(1);
    int at = line.start(2);
    int keys = 0;
    while (at < text.length()) {
      line.wrap(line.buffer(), 0, prefix);
      at = line.readOn(at, text.length(), 500);
      assertThat(tokens(line)).startsWith("gat", "0").hasSizeLessThanOrEqualTo(500);
      for (int token = 2; token < line.count(); token++) {
        assertThat(line.string(token)).isEqualTo("k" + keys++);
      }
    }
    assertThat(keys).isEqualTo(10_000);
    assertThat(line.isWhole()).isTrue();
  }

  /** Servers before 1.6.40 end a line there, wherever it is read. */
  @Test
  void shouldSeeANulInTokensThatAreReadLater() {
    String text = "gat 0 a b\0c d";
    ByteBuf buffer = Ascii.buffer(text);
    int prefix = text.indexOf(" a");
    assertThat(line.wrap(buffer, 0, prefix).hasNul()).isFalse();
    int at = line.readOn(prefix, text.length(), 3);
    assertThat(line.hasNul()).isFalse();
    line.readOn(at, text.length(), 4);
    assertThat(line.hasNul()).isTrue();
    assertThat(line.wrap(buffer, 0, prefix).hasNul()).isFalse();
  }

  @Test
  void shouldFollowItsBytesIntoAnotherBuffer() {
    wrap("get one  two");
    ByteBuf moved = Ascii.buffer("...get one  two");
    line.moved(moved, 3);
    assertThat(tokens(line)).containsExactly("get", "one", "two");
    assertThat(line.buffer()).isSameAs(moved);
    assertThat(line.lineEnd()).isEqualTo(15);
    assertThat(line.isWhole()).isTrue();
  }
}
