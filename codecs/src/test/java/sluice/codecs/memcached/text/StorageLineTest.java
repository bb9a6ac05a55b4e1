package sluice.codecs.memcached.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.Ascii;
import sluice.codecs.memcached.ServerVersion;
import sluice.names.Command;

/**
 * How the two ways of reading a storage line differ; the recordings are compared with it in the
 * gateway's suite.
 */
class StorageLineTest {
  private static final ServerVersion BEFORE = ServerVersion.parse("1.6.18");
  private static final ServerVersion AS_PROXY = ServerVersion.parse("1.6.45");
  private static final String K250 = "k".repeat(250);
  private static final String K251 = "k".repeat(251);

  private final TextLine line = new TextLine();
  private final StorageLine storage = new StorageLine();

  private StorageLine read(String text, ServerVersion version) {
    line.wrap(Ascii.buffer(text), 0, text.length());
    return storage.read(line, TextCommands.of(line), version);
  }

  /** The verdict as {@code length}, {@code length error} or {@code none error}. */
  private String verdict(String text, ServerVersion version) {
    String escaped =
        text.replace("<250>", K250)
            .replace("<251>", K251)
            .replace("<0>", "\0")
            .replace("<TAB>", "\t")
            .replace("<CR>", "\r");
    read(escaped, version);
    String length = storage.dataLength() < 0 ? "none" : Integer.toString(storage.dataLength());
    String error = storage.error() == null ? "" : " " + storage.error();
    return (length + error)
        .replace("CLIENT_ERROR bad command line format", "BAD")
        .replace("CLIENT_ERROR bad token in command line format", "TOKEN")
        .replace("CLIENT_ERROR ", "");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "set k 0 0 5                         | 5        | 5",
        "set <250> 0 0 5                     | 5        | 5",
        "set <251> 0 0 5                     | none BAD | 5 BAD",
        "set k 0 0 0                         | 0        | 0",
        "set k 18446744073709551615 0 5      | 5        | 5",
        "set k -1 0 5                        | none BAD | 5 BAD",
        "set k x 0 5                         | none BAD | 5 BAD",
        "set k -0 0 5                        | 5        | 5",
        "set k - 0 5                         | none BAD | 5 BAD",
        "set k 0 x 5                         | none BAD | 5 BAD",
        "set k 0 -1 5                        | 5        | 5",
        "set k 0 0 -1                        | none BAD | none BAD",
        "set k 0 0 x                         | none BAD | none BAD",
        "set k 0 0 2147483645                | 2147483645 | 2147483645",
        "set k 0 0 2147483646                | none BAD | none BAD",
        "set k 0 0 4294967301                | 5        | none BAD",
        "set k 0 0 5<TAB>                    | 5        | none BAD",
        "set k 0 0 5<CR>                     | 5        | none BAD",
        "set k 0 0 5<TAB>x                   | 5        | none BAD",
        "set k 0 0 <TAB>5                    | 5        | none BAD",
        "set k 0 0 +5                        | 5        | none BAD",
        "set k 0 0 5x                        | none BAD | none BAD",
        "set k 0 0 -                         | none BAD | 0",
        "set k 0 0 -0                        | 0        | 0",
        "set k 0<TAB> 0 5                    | 5        | 5",
        "set k 0 0<TAB>x 5                   | 5        | 5",
        "set k -18446744073709551611 0 5     | 5        | 5",
        "set k -9223372036854775807 0 5      | none BAD | 5 BAD",
        "cas k 0 0 5 1<TAB>                  | 5        | 5 BAD",
        "cas k 0 0 5 +1                      | 5        | 5 BAD",
        "cas k 0 0 5 0000000000000000000001  | 5        | 5",
        "cas k 0 0 5 00000000000000000000001 | 5        | 5 BAD",
        "set k 0 0                           | none ERROR | none BAD",
        "set k 0 0 5 6                       | 5        | 5",
        "set k 0 0 5 noreply                 | 5        | 5",
        "set k 0 0 5 6 7                     | none ERROR | 5",
        "set                                 | none ERROR | none BAD",
        "set k<0> 0 0 5                      | none ERROR | 5",
        "set k 0<0> 0<0>x 5                  | none ERROR | 5",
        "set k <0> 0 5                       | none ERROR | 5 BAD",
        "set k 0 0 5<0>                      | none ERROR | none BAD",
        "cas k 0 0 5 1<0>                    | none ERROR | 5 BAD",
        "cas k 0 0 5 9                       | 5        | 5",
        "cas k 0 0 5                         | none ERROR | 5 BAD",
        "cas k 0 0 5 x                       | none BAD | 5 BAD",
        "cas k 0 0 5 -1                      | none BAD | 5 BAD",
        "cas k 0 0 5 9 noreply               | 5        | 5",
        "cas k 0 0 5 9 noreply x             | none ERROR | 5"
      })
  void shouldReadClassicLinesAsEachVersionDoes(String text, String before, String asProxy) {
    assertThat(verdict(text, BEFORE)).as("1.6.18").isEqualTo(before);
    assertThat(verdict(text, AS_PROXY)).as("1.6.45").isEqualTo(asProxy);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "ms k 5                | 5                     | 5",
        "ms                    | none ERROR            | none BAD",
        "ms k                  | none BAD              | none BAD",
        "ms k x                | none BAD              | none BAD",
        "ms k -1               | none BAD              | none BAD",
        "ms k 4294967301       | 5                     | none BAD",
        "ms k 4294967295       | none BAD              | none BAD",
        "ms k 000000000005     | 5                     | none BAD",
        "ms k 00000000005      | 5                     | 5",
        "ms k 000000000005 Z   | 5 invalid flag        | none BAD",
        "ms k +5               | 5                     | none BAD",
        "ms k 5<TAB>           | 5                     | none BAD",
        "ms k 5<CR>            | 5                     | none BAD",
        "ms k -                | none BAD              | 0",
        "ms k -0               | 0                     | 0",
        "ms k -4294967291      | 5                     | none BAD",
        "ms k 9223372036854775808 | none BAD           | none BAD",
        "ms <250> 5            | 5                     | 5",
        "ms <251> 5            | none BAD              | 5 BAD",
        "ms k 5 T0 F1 q        | 5                     | 5",
        "ms k 5 q q            | 5 duplicate flag      | 5 duplicate flag",
        "ms k 5 Z              | 5 invalid flag        | 5 invalid flag",
        "ms k 5 !              | 5 invalid flag        | none BAD",
        "ms k 5 Tx !           | 5 invalid flag        | none BAD",
        "ms k 5 v v !          | 5 duplicate flag      | none BAD",
        "ms k 5 MQ !           | 5 invalid flag        | none BAD",
        "ms <251> 5 !          | none BAD              | none BAD",
        "ms k 5 x              | 5 invalid flag        | 5",
        "ms k 5 E              | 5 invalid flag        | 5 TOKEN",
        "ms k 5 Tx Z           | 5 invalid flag        | 5 invalid flag",
        "ms k 5 Tx v v         | 5 duplicate flag      | 5 duplicate flag",
        "ms k 5 MQ v v         | 5 duplicate flag      | 5 duplicate flag",
        "ms k 5 Tx M           | 5 incorrect length for M token | 5 TOKEN",
        "ms k 5 M Tx           | 5 TOKEN               | 5 TOKEN",
        "ms k 5 Fx Cx          | 5 TOKEN               | 5 TOKEN",
        "ms k 5 Cx Fx          | 5 TOKEN               | 5 TOKEN",
        "ms Zm9 5 b Tx         | 5 TOKEN               | 5 TOKEN",
        "ms Zm9 5 Tx b         | 5 error decoding key  | 5 error decoding key",
        "ms k 5 T              | 5 TOKEN               | 5 TOKEN",
        "ms k 5 Tx             | 5 TOKEN               | 5 TOKEN",
        "ms k 5 T9999999999    | 5                     | 5 TOKEN",
        "ms k 5 Fx             | 5 BAD                 | 5 BAD",
        "ms k 5 F4294967296    | 5                     | 5 BAD",
        "ms k 5 F5<TAB>        | 5                     | 5 BAD",
        "ms k 5 F00000000005   | 5                     | 5",
        "ms k 5 F000000000005  | 5                     | 5 BAD",
        "ms k 5 C0000000000000000000005  | 5           | 5",
        "ms k 5 C00000000000000000000005 | 5           | 5 TOKEN",
        "ms k 5 T-             | 5 TOKEN               | 5",
        "ms k 5 T+30           | 5                     | 5 TOKEN",
        "ms k 5 C+5            | 5                     | 5 TOKEN",
        "ms k 5 Cx             | 5 TOKEN               | 5 TOKEN",
        "ms k 5 MA             | 5                     | 5",
        "ms k 5 MX             | 5 invalid mode for ms M token | 5 invalid mode for ms M token",
        "ms k 5 MAA            | 5 incorrect length for M token | 5",
        "ms Zm9v 5 b           | 5                     | 5",
        "ms Zm9 5 b            | 5 error decoding key  | 5 error decoding key",
        "ms k 5 O1234567890123456789012345678901  | 5   | 5",
        "ms k 5 O12345678901234567890123456789012 | 5 opaque token too long | 5 opaque token too"
            + " long"
      })
  void shouldReadMetaLinesAsEachVersionDoes(String text, String before, String asProxy) {
    assertThat(verdict(text, BEFORE)).as("1.6.18").isEqualTo(before);
    assertThat(verdict(text, AS_PROXY)).as("1.6.45").isEqualTo(asProxy);
  }

  @Test
  void shouldWriteOddNumbersCanonically() {
    ByteBuf out = Unpooled.buffer();
    read("cas k -18446744073709551611 +7\tx 5\r +9", BEFORE).writeBehindKey(Command.CAS, out);
    assertThat(Ascii.text(out)).isEqualTo(" 5 7 5 9\r\n");
    assertThat(storage.isCanonical()).isFalse();
  }

  /** Its block must not run as commands: newer servers read one behind such a line. */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "set k 0 0 5      | 5",
        "set <251> 0 0 5  | 5 BAD",
        "set k -1 0 5     | 5 BAD",
        "set k 0 x 5      | 5 BAD",
        "set k<0>l 0 0 5  | 5 ERROR",
        "set k 0 0 5 6 7  | 5 ERROR",
        "set k 0 0        | none ERROR",
        "set k 0 0 x      | none BAD",
        "ms <251> 5       | 5 BAD",
        "ms k 5 x         | 5",
        "ms k 5 E1        | 5"
      })
  void shouldReadTheBlockOfARefusedLineForAServerOfUnknownVersion(String text, String expected) {
    assertThat(verdict(text, ServerVersion.UNKNOWN)).isEqualTo(expected);
  }

  /** Versions 1.6.40 to 1.6.44 find the block as newer ones do, and read numbers as older ones. */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "ms k 5 F4294967296    | 5",
        "ms k 5 T4294967295    | 5",
        "ms k 5 T+30           | 5",
        "ms k 5 T-             | 5 TOKEN",
        "ms k +5               | none BAD"
      })
  void shouldReadArgumentsAsVersionsBefore1645Do(String text, String expected) {
    assertThat(verdict(text, ServerVersion.parse("1.6.44"))).isEqualTo(expected);
  }

  @Test
  void shouldRefuseAMetaLineOfMoreTokensThanAServerKeeps() {
    String most = "ms Zm9v 5 T0 F0 C0 N0 I O1 q k s f t v c b h l";
    assertThat(line.wrap(Ascii.buffer(most), 0, most.length()).count()).isEqualTo(19);
    assertThat(verdict(most, BEFORE)).isEqualTo("5");
    assertThat(verdict(most + " u", BEFORE)).isEqualTo("none options flags too long");
    assertThat(verdict(most + " u", AS_PROXY)).isEqualTo("5 options flags are too long");
    // Token 24 is not looked at, so that the data block is swallowed all the same.
    String many = most + " u u u u";
    assertThat(verdict(many + " !", AS_PROXY)).isEqualTo("5 options flags are too long");
    assertThat(verdict(most + " u u u !", AS_PROXY)).startsWith("none ");
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"set k 0 0 5 noreply", "cas k 0 0 5 1 noreply", "set k x 0 5 noreply"})
  void shouldSayWhetherAnybodyHears(String text) {
    assertThat(read(text, BEFORE).noreply()).isTrue();
    assertThat(read(text, AS_PROXY).noreply()).isTrue();
    assertThat(read("set k 0 0 5", BEFORE).noreply()).isFalse();
    assertThat(read("set noreply 0 0 5", AS_PROXY).noreply()).isFalse();
  }

  @Test
  void shouldAnswerALineWithANulWhateverItSays() {
    read("set k\0 0 0 5 noreply", BEFORE);
    assertThat(storage.error()).isEqualTo("ERROR");
    assertThat(storage.noreply()).isFalse();
  }

  @Property
  void shouldThrowForNoLine(
      @ForAll("storageLines") String text, @ForAll("versions") ServerVersion version) {
    read(text, version);
    assertThat(storage.dataLength()).isBetween(-1, Integer.MAX_VALUE - 2);
    if (storage.dataLength() < 0) {
      assertThat(storage.error()).as("a line without a data block").isNotNull();
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "set k 0 0 5|as it is|as it is",
        "set k 4294967295 -1 5|as it is|as it is",
        "set k 0 0 5 noreply| k 0 0 5 silent| k 0 0 5 silent",
        "set k 0 0 5 noreply noreply|ERROR| k 0 0 5 silent",
        "set k 0 0 5 x| k 0 0 5| k 0 0 5",
        "set k 0 0 5 x y|ERROR| k 0 0 5",
        "set k 0 0 005| k 0 0 5| k 0 0 5",
        "set k 0 0 000000000017| k 0 0 17|BAD",
        "set k 00 0 5| k 0 0 5| k 0 0 5",
        "set k +1 +2 5| k 1 2 5| k 1 2 5",
        "set k 1\0 2\0x 5|ERROR| k 1 2 5",
        "set k 4294967297 4294967298 5| k 1 2 5| k 1 2 5",
        "set  k 0 0 5| k 0 0 5| k 0 0 5",
        "set k 0 0 5 | k 0 0 5| k 0 0 5",
        "cas k 0 0 5 7|as it is|as it is",
        "cas k 0 0 5 007| k 0 0 5 7| k 0 0 5 7",
        "cas k 0 0 5 noreply|BAD silent|BAD silent",
        "ms k 5|as it is|as it is"
      })
  void shouldCallOnlyLinesCanonicalThatAllVersionsReadAlike(
      String text, String before, String asProxy) {
    assertThat(form(text, BEFORE)).as("1.6.18").isEqualTo(before);
    assertThat(form(text, AS_PROXY)).as("1.6.45").isEqualTo(asProxy);
  }

  /** What a server is sent of the line: as it is, what is written behind the key, or nothing. */
  private String form(String text, ServerVersion version) {
    String whole = text + "\r\n";
    line.wrapWithEnd(Ascii.buffer(whole), 0, whole.length());
    Command command = TextCommands.of(line);
    storage.read(line, command, version);
    String silent = storage.noreply() ? " silent" : "";
    if (storage.error() != null) {
      return storage.error().replace("CLIENT_ERROR bad command line format", "BAD") + silent;
    }
    if (storage.isCanonical()) {
      return "as it is";
    }
    ByteBuf out = Unpooled.buffer().writeByte(' ').writeByte('k');
    storage.writeBehindKey(command, out);
    return Ascii.text(out).stripTrailing() + silent;
  }

  @Test
  void shouldNotCallALineCanonicalThatEndsWithABareLineFeed() {
    String bare = "set k 0 0 5\n";
    line.wrapWithEnd(Ascii.buffer(bare), 0, bare.length());
    assertThat(storage.read(line, Command.SET, BEFORE).isCanonical()).isFalse();
  }

  /** Such a server would run the block, which a third party may have chosen. */
  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"1.4.39", "1.5.22", "1.6.9", "3.0.3"})
  void shouldReadTheBlockOfAnMsThatTheServerDoesNotKnow(String reported) {
    ServerVersion version = ServerVersion.reported(reported);
    assertThat(verdict("ms k 5", version)).isEqualTo("5 ERROR");
    assertThat(verdict("ms k 5 T0 E1", version)).isEqualTo("5 ERROR");
    assertThat(verdict("ms k S5 T0", version)).isEqualTo("5 ERROR");
    assertThat(verdict("ms k T0 Sx S5", version)).isEqualTo("5 ERROR");
    assertThat(verdict("ms k S S-1", version)).isEqualTo("none ERROR");
    assertThat(verdict("ms k x", version)).isEqualTo("none ERROR");
    assertThat(verdict("ms k", version)).isEqualTo("none ERROR");
  }

  @Test
  void shouldReadNoBlockWhereOnlyAnEarlierServerWould() {
    assertThat(verdict("ms k S5 T0", BEFORE)).isEqualTo("none BAD");
    assertThat(verdict("ms k S5 T0", AS_PROXY)).isEqualTo("none BAD");
  }

  @Provide
  Arbitrary<ServerVersion> versions() {
    return Arbitraries.of(BEFORE, AS_PROXY);
  }

  @Provide
  Arbitrary<String> storageLines() {
    Arbitrary<String> token =
        Arbitraries.oneOf(
            Arbitraries.of(
                "0",
                "5",
                "-1",
                "k",
                "noreply",
                "T",
                "F",
                "M",
                "MS",
                "Oabc",
                "b",
                "q",
                "",
                "\0",
                "18446744073709551615",
                "9223372036854775808",
                "4294967296"),
            Arbitraries.strings().withCharRange('\0', '\u00ff').ofMaxLength(6));
    return Combinators.combine(
            Arbitraries.of(
                Command.SET, Command.ADD, Command.CAS, Command.APPEND, Command.PREPEND, Command.MS),
            token.list().ofMaxSize(24))
        .as((command, tokens) -> command.label() + " " + String.join(" ", tokens));
  }
}
