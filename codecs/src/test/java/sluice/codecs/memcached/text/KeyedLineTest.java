package sluice.codecs.memcached.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.codecs.Ascii;
import sluice.codecs.memcached.ServerVersion;
import sluice.names.Command;

/**
 * How versions of memcached read lines with a key. The verdicts were seen on 1.4.39, 1.6.18, 1.6.40
 * and 1.6.45.
 */
class KeyedLineTest {
  private static final ServerVersion BEFORE = ServerVersion.parse("1.6.18");
  private static final ServerVersion PROXY = ServerVersion.parse("1.6.40");
  private static final ServerVersion STRICT = ServerVersion.parse("1.6.45");
  private static final List<ServerVersion> ALL = List.of(BEFORE, PROXY, STRICT);
  private static final String K250 = "k".repeat(250);
  private static final String K251 = "k".repeat(251);

  private final TextLine line = new TextLine();
  private final KeyedLine keyed = new KeyedLine();

  private KeyedLine read(String text, ServerVersion version) {
    String whole = text.replace("<250>", K250).replace("<251>", K251) + "\r\n";
    line.wrapWithEnd(Ascii.buffer(whole), 0, whole.length());
    return keyed.read(line, TextCommands.of(line), version);
  }

  /** What a server would see of the line: as it is, written anew, or nothing but an answer. */
  private String verdict(String text, ServerVersion version) {
    read(text, version);
    String silent = keyed.noreply() ? " silent" : "";
    if (keyed.error() != null) {
      return keyed
              .error()
              .replace("CLIENT_ERROR bad command line format", "BAD")
              .replace("CLIENT_ERROR invalid ", "")
          + silent;
    }
    if (keyed.isCanonical()) {
      assertThat(written()).as("a canonical line written anew").isEqualTo(text);
      return "as it is";
    }
    return written() + silent;
  }

  private String written() {
    Command command = TextCommands.of(line);
    int token = command == Command.GAT || command == Command.GATS ? 2 : 1;
    ByteBuf out = Unpooled.buffer();
    keyed.writeBeforeKey(command, out);
    int key = out.writerIndex();
    boolean many = token == 2; // of a gat, all keys
    int last = many ? line.count() - 1 : token;
    out.writeBytes(line.buffer(), line.start(token), line.end(last) - line.start(token));
    keyed.writeBehindKey(command, key, out);
    String text = Ascii.text(out);
    assertThat(text).endsWith("\r\n");
    return text.substring(0, text.length() - 2);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "delete k|as it is|as it is",
        "delete k noreply|delete k silent|delete k silent",
        "delete k 0|delete k|delete k",
        "delete k 0 noreply|delete k silent|delete k silent",
        "delete k 1|BAD.  Usage: delete <key> [noreply]|delete k",
        "delete k 1 noreply|BAD.  Usage: delete <key> [noreply] silent|delete k silent",
        "delete k noreply noreply|BAD.  Usage: delete <key> [noreply] silent|delete k silent",
        "delete k 0 0 noreply|ERROR|delete k silent",
        "delete noreply|delete noreply 0|delete noreply 0 silent",
        "delete noreply noreply|delete noreply 0 silent|delete noreply 0 silent",
        "delete  k|delete k|delete k",
        "delete k |delete k|delete k",
        "delete|ERROR|BAD",
        "delete <251>|BAD|BAD",
        "delete <251> noreply|BAD silent|BAD silent",
        "incr k 5|as it is|as it is",
        "incr k 007|incr k 7|incr k 7",
        "incr k 18446744073709551615|as it is|as it is",
        "incr k 18446744073709551616|numeric delta argument|numeric delta argument",
        "incr k -1|numeric delta argument|numeric delta argument",
        "incr k noreply|numeric delta argument silent|numeric delta argument silent",
        "incr k 1 2|incr k 1|incr k 1",
        "incr k 1 2 noreply|ERROR|incr k 1 silent",
        "decr noreply 5|as it is|as it is",
        "decr k 1 noreply|decr k 1 silent|decr k 1 silent",
        "incr k|ERROR|BAD",
        "touch k 5|as it is|as it is",
        "touch k -1|as it is|as it is",
        "touch k -0|touch k 0|touch k 0",
        "touch k 05|touch k 5|touch k 5",
        "touch k 2147483647|as it is|as it is",
        "touch k noreply|exptime argument silent|exptime argument silent",
        "touch k x|exptime argument|exptime argument",
        "gat 5 k|as it is|as it is",
        "gat 05 k|gat 5 k|gat 5 k",
        "gat x k|exptime argument|exptime argument",
        "gat 5 noreply|as it is|as it is",
        "me k|as it is|as it is",
        "me k x y|me k|me k",
        "me|BAD|BAD"
      })
  void shouldReadLinesAsEachVersionDoes(String text, String before, String after) {
    assertThat(verdict(text, BEFORE)).as("1.6.18").isEqualTo(before);
    assertThat(verdict(text, PROXY)).as("1.6.40").isEqualTo(after);
    assertThat(verdict(text, STRICT)).as("1.6.45").isEqualTo(after);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "touch k 99999999999 | touch k 1215752191 | touch k 1215752191 | exptime argument",
        "touch k +5 | touch k 5 | touch k 5 | exptime argument",
        "touch k 000000000005 | touch k 5 | touch k 5 | exptime argument",
        "gat 99999999999 k | gat 1215752191 k | exptime argument | exptime argument",
        "gats +1 k | gats 1 k | exptime argument | exptime argument",
        "'incr k 1\t' | incr k 1 | incr k 1 | numeric delta argument",
        "'incr k \t1\r' | incr k 1 | incr k 1 | numeric delta argument",
        "incr k -18446744073709551615 | incr k 1 | incr k 1 | numeric delta argument",
        "'touch k 5\t' | touch k 5 | touch k 5 | exptime argument",
        "touch k - | exptime argument | exptime argument | touch k 0",
        "'gat 5\t k' | gat 5 k | exptime argument | exptime argument",
        "gat - k | exptime argument | gat 0 k | gat 0 k",
        "incr k 0000000000000000000007 | incr k 7 | incr k 7 | incr k 7",
        "incr k 00000000000000000000007 | incr k 7 | incr k 7 | numeric delta argument",
        "incr k +7 | incr k 7 | incr k 7 | numeric delta argument",
        "me Zm9v b | me Zm9v b b | me Zm9v | me Zm9v",
        "me Zm9v b b | me Zm9v b b | me Zm9v b b | me Zm9v b b"
      })
  void shouldFollowTheVersionsThatDiffer(String text, String before, String proxy, String strict) {
    assertThat(verdict(text, BEFORE)).as("1.6.18").isEqualTo(before);
    assertThat(verdict(text, PROXY)).as("1.6.40").isEqualTo(proxy);
    assertThat(verdict(text, STRICT)).as("1.6.45").isEqualTo(strict);
  }

  @Property
  void shouldCallOnlyLinesCanonicalThatAllVersionsReadAlike(@ForAll("lines") String text) {
    for (ServerVersion version : ALL) {
      if (!read(text, version).isCanonical() || keyed.error() != null) {
        continue;
      }
      for (ServerVersion other : ALL) {
        assertThat(verdict(text, other)).as(text + " as " + other).isEqualTo("as it is");
      }
    }
  }

  /** What is written in place of a line means the same to every version, and is answered by all. */
  @Property
  void shouldWriteOnlyLinesThatAllVersionsReadAlike(@ForAll("lines") String text) {
    for (ServerVersion version : ALL) {
      read(text, version);
      Command command = TextCommands.of(line);
      int token = command == Command.GAT || command == Command.GATS ? 2 : 1;
      if (keyed.error() != null || line.count() <= token) {
        continue;
      }
      String written = written();
      long number = keyed.number();
      for (ServerVersion other : ALL) {
        read(written, other);
        assertThat(keyed.error()).as(written + " as " + other).isNull();
        assertThat(keyed.noreply()).as(written + " as " + other).isFalse();
        assertThat(keyed.number()).as(written + " as " + other).isEqualTo(number);
      }
    }
  }

  @Provide
  Arbitrary<String> lines() {
    Arbitrary<String> token =
        Arbitraries.oneOf(
            Arbitraries.of(
                "0",
                "00",
                "5",
                "-1",
                "-0",
                "+1",
                "k",
                "noreply",
                "b",
                "",
                "x",
                "000000000017",
                "2147483647",
                "2147483648",
                "-2147483649",
                "18446744073709551615",
                "18446744073709551616",
                K250,
                K251),
            Arbitraries.strings().withCharRange('!', '\u00ff').ofMinLength(1).ofMaxLength(5));
    return Combinators.combine(
            Arbitraries.of("delete", "incr", "decr", "touch", "gat", "gats", "me"),
            token.list().ofMaxSize(30))
        .as((command, tokens) -> command + " " + String.join(" ", tokens));
  }
}
