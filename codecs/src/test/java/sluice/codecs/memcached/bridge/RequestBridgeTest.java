package sluice.codecs.memcached.bridge;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.Base64Key;
import sluice.codecs.memcached.text.TextCommands;
import sluice.codecs.memcached.text.TextLine;
import sluice.names.Command;

/** What a client asks in its dialect is what the server is asked in its own. */
class RequestBridgeTest {
  private static final int OPAQUE = 7;
  private static final String HEADER = "80%s%04x%02x000000%08x00000007%016x";

  private final Request request = new Request();
  private final Awaited awaited = new Awaited();

  /** Reads a line; a backslash stands for the key's odd bytes. */
  private void readLine(String line) {
    ByteBuf in = Unpooled.copiedBuffer(line.translateEscapes(), ISO_8859_1);
    TextLine view = new TextLine().wrap(in, 0, in.writerIndex());
    Command command = TextCommands.of(view);
    int token = command == Command.GAT || command == Command.GATS ? 2 : 1;
    String error;
    if (command.label().length() == 2) {
      error = MetaRequestReader.read(view, command, ServerVersion.EMBEDDED, request);
    } else {
      error = TextRequestReader.read(view, command, token, ServerVersion.EMBEDDED, request);
    }
    assertThat(error).isNull();
    if (request.isBase64) {
      ByteBuf raw = Unpooled.buffer();
      assertThat(Base64Key.decode(in, view.start(1), view.end(1), raw)).isPositive();
      request.key.set(raw, 0, raw.writerIndex());
    } else {
      request.key.set(in, view.start(token), view.end(token));
    }
  }

  private void readPacket(String hex) {
    ByteBuf in = Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex.replace(" ", "")));
    BinaryRequestReader.read(in, 0, request);
  }

  private String write(RequestWriter writer) {
    ByteBuf out = Unpooled.buffer(8);
    awaited.remember(request);
    String reason = writer.write(request, OPAQUE, awaited, out);
    assertThat(out.writerIndex()).isLessThanOrEqualTo(request.longestHead());
    if (reason != null) {
      assertThat(out.isReadable()).isFalse();
      return "unsupported: " + reason;
    }
    return out.toString(ISO_8859_1);
  }

  private static String head(String opcode, int extras, String key, int value, long cas) {
    return HEADER.formatted(opcode, key.length(), extras, extras + key.length() + value, cas);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "get k                  | mg k v f O7",
        "gets k                 | mg k v f c O7",
        "gat 60 k               | mg k T60 v f O7",
        "gats -1 k              | mg k T-1 v f c O7",
        "set k 5 0 3            | ms k 3 F5 O7",
        "set k 4294967296 0 3   | ms k 3 O7", // wraps, as in memcached
        "set k 0 60 3 noreply   | ms k 3 T60 O7",
        "set k 0 4294967295 3   | ms k 3 T-1 O7", // has expired, as theirs has
        "add k 1 2 3            | ms k 3 ME F1 T2 O7",
        "replace k 1 2 3        | ms k 3 MR F1 T2 O7",
        "append k 0 0 3         | ms k 3 MA O7",
        "prepend k 0 0 3        | ms k 3 MP O7",
        "cas k 1 0 3 99         | ms k 3 F1 C99 O7",
        "delete k               | md k O7",
        "incr k 5               | ma k D5 v O7",
        "decr k 18446744073709551615 | ma k MD D18446744073709551615 v O7",
        "touch k 0              | mg k T0 O7",
        "get a\\001b            | mg YQFi b v f O7",
        "mg k v k q Oabc        | mg k v O7",
        "mg YSBi b s            | mg YSBi b s O7",
        "mg k t T60 v           | mg k t T60 v O7", // tells the time before
        "mg k T60 t             | mg k T60 t O7",
        "ma k t T60 N0          | ma k D1 t T60 N0 J0 O7",
        "mg k N30 t T5 v        | mg k N30 t T5 v O7",
        "ma k N9 t J3 T5        | ma k D1 N9 J3 t T5 O7", // of a new counter the last counts
        "ma k T5 N9 t           | ma k D1 T5 N9 J0 t O7",
        "mg k t v h l N30 R5 u  | mg k t N30 R5 u v h l O7",
        "ms k 3 F1 T2 MS c I C9 | ms k 3 F1 T2 I C9 c O7",
        "ms k 3 ME C5           | ms k 3 ME O7", // mode E does not look at it
        "ma k N60 J9 MD D2 v t E8 | ma k MD D2 N60 J9 t E8 v O7",
        "md k I T30 x           | md k I T30 x O7",
      })
  void shouldAskInMetaWhatIsAskedInText(String line, String expected) {
    readLine(line);
    assertThat(write(MetaRequestWriter.INSTANCE)).isEqualTo(expected + "\r\n");
  }

  /** A time to live that a rule has bounded, of what only meta can leave behind. */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "mg k N30 t v           | mg k N9 t v O7",
        "mg k v N0 T3           | mg k N9 T3 v O7",
        "ms k 3 MA N30 c        | ms k 3 MA N9 c O7",
        "ms k 3 MP N30 T2       | ms k 3 MP N9 T2 O7",
        "md k I T30 C5          | md k I T9 C5 O7",
        "md k T30 x             | md k T9 x O7",
        "md k x q               | md k x T9 O7", // for ever, if nothing is said
        "md k x I Oabc          | md k x I T9 O7",
      })
  void shouldWriteTheTimeThatTheRequestHasBecome(String line, String expected) {
    readLine(line);
    assertThat(request.left.isGiven || request.leavesEmpty()).isTrue();
    request.left.set(9);
    assertThat(write(MetaRequestWriter.INSTANCE)).isEqualTo(expected + "\r\n");
  }

  /** Checked against memcached 1.6.45; up to 1.6.39 the low 32 bits count. */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "touch k 2147483648, 1, -2147483648",
    "touch k 4294967295 noreply, 1, -1",
    "touch k -4294967290, 1, 6",
    "gat 2147483648 k, 2, -2147483648",
    "gats 4294967297 k, 2, 1",
    "flush_all 4294967295, 0, 0",
  })
  void shouldRefuseTimesThatDoNotFitAsTheServerDoes(String line, int token, long wrapped) {
    ByteBuf in = Unpooled.copiedBuffer(line, ISO_8859_1);
    TextLine view = new TextLine().wrap(in, 0, in.writerIndex());
    Command command = TextCommands.of(view);
    assertThat(read(view, command, token, true)).isEqualTo(TextRequestReader.BAD_EXPTIME);
    assertThat(read(view, command, token, false)).isNull();
    assertThat(token == 0 ? Math.max(0, request.timeToLive.exptime) : request.timeToLive.exptime)
        .isEqualTo(wrapped);
  }

  /** Checked against memcached 1.6.18, 1.6.39, 1.6.40 and 1.6.45. */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "md k Z, invalid flag, invalid or duplicate flag",
    "md k t t, duplicate flag, invalid or duplicate flag",
    "md k Tx, bad token in command line format, invalid or duplicate flag",
    "md k Cx, bad token in command line format, invalid or duplicate flag",
    "md k Oabcdefghijklmnopqrstuvwxyz0123456789, opaque token too long, opaque token too long",
    "ma k Z, invalid or duplicate flag, invalid or duplicate flag",
    "ma k t t, invalid or duplicate flag, invalid or duplicate flag",
    "ma k Tx, invalid or duplicate flag, invalid or duplicate flag",
    "ma k Dx, invalid or duplicate flag, invalid or duplicate flag",
    "ma k MX, invalid mode for ma M token, invalid mode for ma M token",
    "mg k Z, invalid flag, invalid flag",
    "mg k t t, duplicate flag, duplicate flag",
    "mg k Tx, bad token in command line format, bad token in command line format",
    "mg k J, invalid numeric initial value, invalid numeric initial value",
    "mg k Dx, invalid numeric delta value, invalid numeric delta value",
    "mg k F4294967296, bad command line format,",
    "ma k Z !, bad command line format, invalid or duplicate flag",
    "md k !, bad command line format, invalid or duplicate flag",
    "mg k v v !, bad command line format, duplicate flag",
    "mg k [, invalid flag, invalid flag",
    "mg k \u00ff, bad command line format, duplicate flag",
    "mg k Tx Jx, invalid numeric initial value, invalid numeric initial value",
    "mg k Jx Tx, bad token in command line format, bad token in command line format",
    "mg k Tx Fx, bad token in command line format, bad token in command line format",
    "mg k Fx, bad command line format, bad command line format",
    "mg k Oabcdefghijklmnopqrstuvwxyz0123456789 v v, duplicate flag, duplicate flag",
    "ma k MQ v v, invalid or duplicate flag, invalid or duplicate flag",
    "ma k Oabcdefghijklmnopqrstuvwxyz0123456789 MQ, invalid mode for ma M token, invalid mode for"
        + " ma M token",
    "mg k x, , invalid flag",
    "mg k E, bad token in command line format, invalid flag",
    "ms k 1 E1, , invalid flag",
    "ms k 1 x, , invalid flag",
    "md k x, , invalid or duplicate flag",
    "ma k x, , invalid or duplicate flag",
    "mg k MSS, , incorrect length for M token",
    "ms k 1 M, , incorrect length for M token",
    "ma k MII, , invalid or duplicate flag",
    "ma k MXX, invalid mode for ma M token, invalid or duplicate flag",
    "mg k 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20, options flags are too long, options"
        + " flags are too long",
    "md k 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20, options flags are too long, options"
        + " flags too long",
    "ma k 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20, invalid or duplicate flag, options"
        + " flags too long",
    "mg k 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 !, bad command line format, options flags"
        + " are too long",
    "ma k 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 !, bad command line format, options flags"
        + " too long",
  })
  void shouldRefuseAFlagAsTheServerDoes(String line, String from40, String before) {
    ByteBuf in = Unpooled.copiedBuffer(line, ISO_8859_1);
    TextLine view = new TextLine().wrap(in, 0, in.writerIndex());
    Command command = TextCommands.of(view);
    assertThat(MetaRequestReader.read(view, command, ServerVersion.EMBEDDED, request))
        .isEqualTo(from40 == null ? null : "CLIENT_ERROR " + from40);
    assertThat(MetaRequestReader.read(view, command, new ServerVersion(1, 6, 18), request))
        .isEqualTo(before == null ? null : "CLIENT_ERROR " + before);
  }

  private String read(TextLine line, Command command, int token, boolean proxy) {
    return token == 0
        ? TextRequestReader.readKeyless(line, command, proxy, request)
        : TextRequestReader.read(
            line, command, token, proxy ? ServerVersion.EMBEDDED : ServerVersion.UNKNOWN, request);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "mg k v f               | get k",
        "mg k v c               | gets k",
        "mg k s                 | get k",
        "mg k v f c T60         | gats 60 k",
        "mg k T60               | touch k 60",
        "mg k T60 f             | gat 60 k",
        "mg k v P1 L2 Oabc q k  | get k",
        "mg k v x I             | get k", // of no meaning to mg
        "ms k 3 F5 T9           | set k 5 9 3",
        "ms k 3 ME              | add k 0 0 3",
        "ms k 3 MR s            | replace k 0 0 3",
        "ms k 3 MA              | append k 0 0 3",
        "ms k 3 MP              | prepend k 0 0 3",
        "ms k 3 C99             | cas k 0 0 3 99",
        "md k                   | delete k",
        "ma k v                 | incr k 1",
        "ma k MD D3             | decr k 3",
      })
  void shouldAskInClassicTextWhatIsAskedInMeta(String line, String expected) {
    readLine(line);
    assertThat(write(TextRequestWriter.INSTANCE)).isEqualTo(expected + "\r\n");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "ms k 3 c",
    "ms k 3 MA C5",
    "ms k 3 MA s",
    "ms k 3 I C5",
    "ms k 3 E5",
    "md k C5",
    "md k I",
    "md k x",
    "ma k N0",
    "ma k C5",
    "ma k T5",
    "ma k c",
    "ma k t",
    "mg k t",
    "mg k h",
    "mg k l",
    "mg k u",
    "mg k N5",
    "mg k R5",
    "mg k E5",
    "mg k C5",
    "mg YSBi b v"
  })
  void shouldRefuseWhatClassicTextHasNoWordsFor(String line) {
    readLine(line);
    assertThat(write(TextRequestWriter.INSTANCE)).startsWith("unsupported: ");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "ms k 3 MA s",
    "ms k 3 I C5",
    "ms k 3 E5",
    "ms k 3 C0",
    "md k I",
    "md k x",
    "ma k T5",
    "ma k t",
    "mg k t",
    "mg k h",
    "mg k l",
    "mg k u",
    "mg k N5",
    "mg k R5",
    "mg k C5"
  })
  void shouldRefuseWhatTheBinaryProtocolHasNoWordsFor(String line) {
    readLine(line);
    assertThat(write(BinaryRequestWriter.INSTANCE)).startsWith("unsupported: ");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "get k            | 00 | 0 |                                          | 0 | 0",
        "gat 60 k         | 1d | 4 | 0000003c                                 | 0 | 0",
        "gat -1 k         | 1d | 4 | 00278d01                                 | 0 | 0",
        "touch k 60       | 1c | 4 | 0000003c                                 | 0 | 0",
        "set k 5 60 3     | 01 | 8 | 000000050000003c                         | 3 | 0",
        "cas k 0 0 3 9    | 01 | 8 | 0000000000000000                         | 3 | 9",
        "add k 0 0 3      | 02 | 8 | 0000000000000000                         | 3 | 0",
        "ms k 3 MR C4     | 03 | 8 | 0000000000000000                         | 3 | 4",
        "append k 0 0 3   | 0e | 0 |                                          | 3 | 0",
        "delete k         | 04 | 0 |                                          | 0 | 0",
        "md k C4          | 04 | 0 |                                          | 0 | 4",
        "incr k 5         | 05 | 20 | 00000000000000050000000000000000ffffffff | 0 | 0",
        "ma k MD N0 J9 D2 | 06 | 20 | 0000000000000002000000000000000900000000 | 0 | 0",
        "mg k T9 s        | 1d | 4 | 00000009                                 | 0 | 0",
      })
  void shouldAskInBinaryWhatIsAskedInTextOrMeta(
      String line, String opcode, int extras, String hex, int value, long cas) {
    readLine(line);
    String expected = head(opcode, extras, "k", value, cas) + (hex == null ? "" : hex) + "6b";
    String written = write(BinaryRequestWriter.INSTANCE);
    assertThat(HexFormat.of().formatHex(written.getBytes(ISO_8859_1))).isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        // opcode, extras, key, bytes of the value, cas; meta; classic text
        "00 | - | k | 0 | 0 | mg k v f c O7 | gets k",
        "0d | - | k | 0 | 0 | mg k v f c O7 | gets k",
        "1e | 0000003c | k | 0 | 0 | mg k T60 v f c O7 | gats 60 k",
        "1c | 0000003c | k | 0 | 0 | mg k T60 f c O7 | touch k 60",
        "11 | 00000005ffffffff | k | 3 | 0 | ms k 3 F5 c O7 | set k 5 0 3",
        "01 | 000000057fffffff | k | 3 | 9 | ms k 3 F5 T2147483647 C9 c O7 | cas k 5 2147483647 3"
            + " 9",
        "02 | 0000000000000000 | k | 3 | 0 | ms k 3 ME c O7 | add k 0 0 3",
        "02 | 0000000000000000 | k | 3 | 5 | ms k 3 C5 c O7 | cas k 0 0 3 5",
        "03 | 0000000000000000 | k | 3 | 5 | ms k 3 MR C5 c O7 | cas k 0 0 3 5",
        "0e | - | k | 3 | 0 | ms k 3 MA c O7 | append k 0 0 3",
        "1a | - | k | 3 | 0 | ms k 3 MP c O7 | prepend k 0 0 3",
        "04 | - | k | 0 | 0 | md k O7 | delete k",
        "05 | 00000000000000050000000000000000ffffffff | k | 0 | 0 | ma k D5 v c O7 | incr k 5",
        "08 | - | - | 0 | 0 | flush_all | flush_all",
        "08 | 0000000a | - | 0 | 0 | flush_all 10 | flush_all 10",
        "0b | - | - | 0 | 0 | version | version",
        "10 | - | items | 0 | 0 | stats items | stats items",
        "10 | - | detail on | 0 | 0 | stats detail on | stats detail on",
        "1b | ffffffff | - | 0 | 0 | verbosity 4294967295 | verbosity 4294967295",
      })
  void shouldAskInTextAndMetaWhatIsAskedInBinary(
      String opcode, String extras, String key, int value, long cas, String meta, String text) {
    String hex = extras == null ? "" : extras;
    String name = key == null ? "" : key;
    readPacket(
        head(opcode, hex.length() / 2, name, value, cas)
            + hex
            + HexFormat.of().formatHex(name.getBytes(ISO_8859_1)));
    assertThat(write(MetaRequestWriter.INSTANCE)).isEqualTo(meta + "\r\n");
    assertThat(write(TextRequestWriter.INSTANCE)).isEqualTo(text + "\r\n");
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "04 | - | k | 5",
        "0e | - | k | 5",
        "05 | 00000000000000050000000000000000ffffffff | k | 5",
        "05 | 0000000000000005000000000000000000000000 | k | 0",
        "00 | - | a b | 0"
      })
  void shouldRefuseInBinaryWhatClassicTextHasNoWordsFor(
      String opcode, String extras, String key, long cas) {
    String hex = extras == null ? "" : extras;
    readPacket(
        head(opcode, hex.length() / 2, key, 0, cas)
            + hex
            + HexFormat.of().formatHex(key.getBytes(ISO_8859_1)));
    assertThat(write(TextRequestWriter.INSTANCE)).startsWith("unsupported: ");
  }

  @ParameterizedTest
  @CsvSource({"mg k N30 R5 v, N", "mg k Pa R5 N30 v, R", "md k Lb T5 x I, x", "mg k C5 u E1, C"})
  void shouldNameTheFirstFlagThatThereAreNoWordsFor(String line, String letter) {
    readLine(line);
    assertThat(write(BinaryRequestWriter.INSTANCE))
        .isEqualTo("unsupported: meta flag " + letter + " in the servers' dialect");
    assertThat(write(TextRequestWriter.INSTANCE)).contains("meta flag " + letter);
  }

  @ParameterizedTest
  @CsvSource({"0d", "0a", "00", "610d0a666c7573685f616c6c"})
  void shouldRefuseNamesOfStatisticsThatWouldEndTheLine(String name) {
    readPacket(HEADER.formatted("10", name.length() / 2, 0, name.length() / 2, 0) + name);
    assertThat(write(TextRequestWriter.INSTANCE)).startsWith("unsupported: ");
    assertThat(write(MetaRequestWriter.INSTANCE)).startsWith("unsupported: ");
  }

  /** A server before 1.6.40 would not see the opaque behind it. A key goes as base64. */
  @ParameterizedTest
  @CsvSource({"'ma k D1 Px\\0N', false", "'mg k v P\\0', false", "'mg a\\0b v Px', true"})
  void shouldNotCopyAFlagWithANul(String line, boolean carried) {
    readLine(line);
    assertThat(write(MetaRequestWriter.INSTANCE).startsWith("unsupported: a meta flag with a NUL"))
        .isNotEqualTo(carried);
  }

  @ParameterizedTest
  @CsvSource({"186, true", "187, false"})
  void shouldCarryAKeyThatNeedsBase64UpToTheLengthOfItsToken(int length, boolean carried) {
    String key = "\u0001".repeat(length);
    readPacket(head("00", 0, key, 0, 0) + HexFormat.of().formatHex(key.getBytes(ISO_8859_1)));
    assertThat(write(MetaRequestWriter.INSTANCE).startsWith("mg ")).isEqualTo(carried);
  }
}
