package sluice.gateway.server.protocol.binary;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.codecs.ProtocolException;
import sluice.codecs.memcached.binary.Opcode;
import sluice.codecs.memcached.bridge.BinaryRequestWriter;
import sluice.codecs.memcached.bridge.IgniteRequestWriter;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.TextReplyWriter;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.protocol.DecodedReplies;
import sluice.names.Command;

/** Every reply of the binary protocol has one end, wherever the stream is cut. */
class BinaryReplyDecoderTest {
  private static final int WIRE = 7;
  private static final int MINE = 0xCAFE;
  private static final int ITEM = Request.VALUE | Request.FLAGS;

  private static PendingReply ask(
      DecodedReplies replies, int opcode, ReplyKind kind, Suppression suppression) {
    PendingReply pending = replies.ask(Command.GET, kind, suppression);
    pending.binary(opcode, MINE);
    pending.wireOpaque(WIRE);
    pending.sends(); // knows the opcode now
    return pending;
  }

  private static void shouldEnd(Consumer<DecodedReplies> asking, String reply, String expected) {
    DecodedReplies.shouldEndWhereItEnds(BinaryProtocol.INSTANCE, asking::accept, reply, expected);
  }

  static Stream<Arguments> replies() {
    return Stream.of(
        Arguments.of("a value", Opcode.GET, Suppression.NOTHING, 0, "", "\0\0\0\5", "abc", true),
        Arguments.of("an empty value", Opcode.GET, Suppression.NOTHING, 0, "", "", "", true),
        Arguments.of("with its key", Opcode.GETK, Suppression.NOTHING, 0, "k", "", "abc", true),
        Arguments.of("a miss", Opcode.GET, Suppression.NOTHING, 1, "", "", "Not found", true),
        Arguments.of("a quiet miss", Opcode.GETQ, Suppression.MISS, 1, "", "", "No", false),
        Arguments.of("a quiet hit", Opcode.GETQ, Suppression.MISS, 0, "", "", "abc", true),
        Arguments.of("a quiet success", 0x11, Suppression.SUCCESS, 0, "", "", "", false),
        Arguments.of("a quiet failure", 0x11, Suppression.SUCCESS, 2, "", "", "Exists", true));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("replies")
  void shouldFindTheEndWhereverTheStreamIsCut(
      String name,
      int opcode,
      Suppression suppression,
      int status,
      String key,
      String extras,
      String value,
      boolean shown) {
    shouldEnd(
        asked -> ask(asked, opcode, ReplyKind.PACKET, suppression),
        DecodedReplies.packet(Opcode.loud(opcode), WIRE, status, key, extras, value),
        shown ? DecodedReplies.packet(opcode, MINE, status, key, extras, value) : "");
  }

  @Test
  void shouldReadPacketsUpToOneWithoutAKey() {
    shouldEnd(
        asked -> ask(asked, 0x10, ReplyKind.PACKETS, Suppression.NOTHING),
        DecodedReplies.packet(0x10, WIRE, 0, "pid", "", "1")
            + DecodedReplies.packet(0x10, WIRE, 0, "x", "", "")
            + end(WIRE),
        DecodedReplies.packet(0x10, MINE, 0, "pid", "", "1")
            + DecodedReplies.packet(0x10, MINE, 0, "x", "", "")
            + end(MINE));
  }

  private static String end(int opaque) {
    return DecodedReplies.packet(0x10, opaque, 0, "", "", "");
  }

  @Test
  void shouldEndPacketsWithAnError() {
    shouldEnd(
        asked -> ask(asked, 0x10, ReplyKind.PACKETS, Suppression.NOTHING),
        DecodedReplies.packet(0x10, WIRE, 0, "pid", "", "1")
            + DecodedReplies.packet(0x10, WIRE, 1, "", "", "no"),
        DecodedReplies.packet(0x10, MINE, 0, "pid", "", "1")
            + DecodedReplies.packet(0x10, MINE, 1, "", "", "no"));
  }

  @Test
  void shouldGiveTheClientItsOwnKeyBack() {
    KeyRewrite rewrite = new KeyRewrite("mine:".getBytes(ISO_8859_1), "v2:".getBytes(ISO_8859_1));
    shouldEnd(
        asked -> ask(asked, Opcode.GETK, ReplyKind.PACKET, Suppression.NOTHING).rewrite(rewrite),
        DecodedReplies.packet(Opcode.GETK, WIRE, 0, "v2:k", "\0\0\0\5", "abc"),
        DecodedReplies.packet(Opcode.GETK, MINE, 0, "mine:k", "\0\0\0\5", "abc"));
  }

  @ParameterizedTest
  @CsvSource({"0, 8, 0", "1, 7, 0", "0, 7, 256"})
  void shouldRefuseWhatIsNoReply(int opcode, int opaque, int keyBeyondBody) {
    String good = DecodedReplies.packet(opcode, opaque, 0, "", "", "abc");
    String reply = good.substring(0, 2) + (char) (keyBeyondBody >> 8) + good.substring(3);
    for (int cut = 1; cut < reply.length(); cut++) {
      try (DecodedReplies replies = new DecodedReplies(BinaryProtocol.INSTANCE)) {
        ask(replies, Opcode.GET, ReplyKind.PACKET, Suppression.NOTHING);
        int at = cut;
        assertThatThrownBy(
                () -> {
                  replies.read(reply.substring(0, at));
                  replies.read(reply.substring(at));
                })
            .as("cut at %d", at)
            .isInstanceOf(ProtocolException.class)
            .hasMessageStartingWith("server s broke the protocol");
        assertThat(replies.answered()).isZero();
      }
    }
  }

  @Test
  void shouldSayAValueInText() {
    shouldEnd(
        asked ->
            asked.askBridged(
                Operation.GET, ITEM, BinaryRequestWriter.INSTANCE, TextReplyWriter.INSTANCE),
        DecodedReplies.packet(Opcode.GET, WIRE, 0, "", "\0\0\0\5", "abc"),
        "VALUE k 5 3\r\nabc\r\nEND\r\n");
  }

  @Test
  void shouldSayAMissInText() {
    shouldEnd(
        asked ->
            asked.askBridged(
                Operation.GET, ITEM, BinaryRequestWriter.INSTANCE, TextReplyWriter.INSTANCE),
        DecodedReplies.packet(Opcode.GET, WIRE, 1, "", "", "Not found"),
        "END\r\n");
  }

  /** Ignite puts the type of the value before it, of a miss, too. */
  @ParameterizedTest(name = "status {0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "0 | abc | VALUE k 512 3\\r\\nabc\\r\\nEND\\r\\n",
        "0 | ``  | VALUE k 512 0\\r\\n\\r\\nEND\\r\\n",
        "1 | ``  | END\\r\\n",
      })
  void shouldSayInTextWhatIgniteAnswers(int status, String value, String expected) {
    IgniteRequestWriter ignite = new IgniteRequestWriter(new byte[0], true, () -> 1_800_000_000L);
    shouldEnd(
        asked -> asked.askBridged(Operation.GET, ITEM, ignite, TextReplyWriter.INSTANCE),
        DecodedReplies.packet(Opcode.GET, WIRE, status, "", "\0\0\2\0", value),
        expected.translateEscapes());
  }

  /** What another event loop asked goes there as it came: that loop reads it again. */
  @ParameterizedTest
  @CsvSource({"0, abc", "1, Not found"})
  void shouldRelayABridgedReplyAsItIs(int status, String value) {
    String reply =
        DecodedReplies.packet(Opcode.GET, WIRE, status, "", status == 0 ? "\0\0\0\5" : "", value);
    shouldEnd(
        asked ->
            asked.relayBridged(
                Operation.GET, ITEM, BinaryRequestWriter.INSTANCE, TextReplyWriter.INSTANCE),
        reply,
        reply);
  }
}
