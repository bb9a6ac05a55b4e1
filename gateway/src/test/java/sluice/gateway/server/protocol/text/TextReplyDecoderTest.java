package sluice.gateway.server.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.ProtocolException;
import sluice.codecs.memcached.bridge.BinaryReplyWriter;
import sluice.codecs.memcached.bridge.MetaReplyWriter;
import sluice.codecs.memcached.bridge.MetaRequestWriter;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.memcached.bridge.TextReplyWriter;
import sluice.codecs.memcached.bridge.TextRequestWriter;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.protocol.DecodedReplies;
import sluice.names.Command;

/** Every reply in text has one end, wherever the stream is cut, and nothing of it is lost. */
class TextReplyDecoderTest {
  private static final Suppression NOTHING = Suppression.NOTHING;

  private static DecodedReplies replies() {
    return new DecodedReplies(TextProtocol.INSTANCE);
  }

  @ParameterizedTest(name = "{0}: {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "FLUSH_ALL | LINE     | OK\\r\\n",
        "VERSION   | LINE     | VERSION 1.6.45\\r\\n",
        "SET       | STORED   | STORED\\r\\n",
        "SET       | STORED   | STORED\\n",
        "CAS       | STORED   | NOT_FOUND\\r\\n",
        "SET       | STORED   | SERVER_ERROR out of memory storing object\\r\\n",
        "DELETE    | DELETED  | DELETED\\r\\n",
        "TOUCH     | TOUCHED  | NOT_FOUND\\r\\n",
        "INCR      | NUMBER   | 17\\r\\n",
        "INCR      | NUMBER   | CLIENT_ERROR no number\\r\\n",
        "GET       | VALUES   | END\\r\\n",
        "GET       | VALUES   | VALUE k 0 0\\r\\n\\r\\nEND\\r\\n",
        "GET       | VALUES   | VALUE k 5 3\\r\\nabc\\r\\nEND\\r\\n",
        "GETS      | VALUES   | VALUE k 5 7 99\\r\\nEND\\r\\na\\n\\r\\nEND\\r\\n",
        "GET       | VALUES   | SERVER_ERROR no memory\\r\\n",
        "MG        | META     | EN\\r\\n",
        "MG        | META     | HD f0\\r\\n",
        "MG        | META     | VA 0\\r\\n\\r\\n",
        "MG        | META     | VA 4 f5 t-1\\r\\n\\r\\nHD\\r\\n",
        "MS        | META     | NS\\r\\n",
        "MS        | META     | SERVER_ERROR no memory\\r\\n",
        "STATS     | STATS    | OK\\r\\n",
        "STATS     | STATS    | END\\r\\n",
        "STATS     | STATS    | STAT pid 1\\r\\nSTAT END 2\\r\\nEND\\r\\n",
        "STATS     | LISTING  | RESET\\r\\n",
        "STATS     | LISTING  | ITEM a [1 b; 2 s]\\r\\nOK\\r\\nEND\\r\\n",
        "LRU_CRAWLER | DUMP   | BUSY currently processing\\r\\n",
        "LRU_CRAWLER | DUMP   | key=a exp=-1\\r\\nkey=b exp=7\\r\\nEND\\r\\n",
        "LRU_CRAWLER | DUMP   | mg a\\r\\nEN\\r\\n",
      })
  void shouldFindTheEndWhereverTheStreamIsCut(Command command, ReplyKind kind, String escaped) {
    String reply = escaped.translateEscapes();
    DecodedReplies.shouldEndWhereItEnds(
        TextProtocol.INSTANCE, asked -> asked.ask(command, kind, NOTHING), reply, reply);
  }

  @ParameterizedTest(name = "{1} of {0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "STORED | ALL     | STORED\\r\\n                | ``",
        "META   | ALL     | VA 3\\r\\nabc\\r\\n         | ``",
        "META   | MISS    | EN\\r\\n                    | ``",
        "META   | MISS    | VA 3\\r\\nabc\\r\\n         | VA 3\\r\\nabc\\r\\n",
        "META   | SUCCESS | HD\\r\\n                    | ``",
        "META   | SUCCESS | VA 3\\r\\nabc\\r\\n         | ``",
        "META   | SUCCESS | NS\\r\\n                    | NS\\r\\n",
        "META   | SUCCESS | SERVER_ERROR no memory\\r\\n | SERVER_ERROR no memory\\r\\n",
      })
  void shouldHideWhatTheRequestSuppresses(
      ReplyKind kind, Suppression suppression, String escaped, String expected) {
    DecodedReplies.shouldEndWhereItEnds(
        TextProtocol.INSTANCE,
        asked -> asked.ask(Command.MG, kind, suppression),
        escaped.translateEscapes(),
        expected.translateEscapes());
  }

  @Test
  void shouldGiveTheClientItsOwnOpaqueBack() {
    DecodedReplies.shouldEndWhereItEnds(
        TextProtocol.INSTANCE,
        asked -> {
          PendingReply pending = asked.ask(Command.MG, ReplyKind.META, NOTHING);
          pending.wireOpaque(31);
          pending.clientOpaque(
              Unpooled.copiedBuffer("mine", StandardCharsets.US_ASCII), 0, "mine".length());
        },
        "VA 3 f0 O31 s3\r\nabc\r\n",
        "VA 3 f0 Omine s3\r\nabc\r\n");
  }

  @Test
  void shouldReadSeveralValuesOfOneReply() {
    String reply = "VALUE k 0 1\r\na\r\nVALUE l 0 2\r\nbc\r\nEND\r\n";
    DecodedReplies.shouldEndWhereItEnds(
        TextProtocol.INSTANCE,
        asked -> DecodedReplies.addKey(asked.ask(Command.GET, ReplyKind.VALUES, NOTHING), "l"),
        reply,
        reply);
  }

  /** As from twemproxy after a miss. The client has asked for all of them. */
  @Test
  void shouldReadTheValuesOfOneReplyInTheOrderOfTheServer() {
    String reply = "VALUE l 0 2\r\nbc\r\nVALUE k 0 1\r\na\r\nEND\r\n";
    DecodedReplies.shouldEndWhereItEnds(
        TextProtocol.INSTANCE,
        asked -> DecodedReplies.addKey(asked.ask(Command.GET, ReplyKind.VALUES, NOTHING), "l"),
        reply,
        reply);
  }

  @ParameterizedTest
  @ValueSource(strings = {"END\r\n", "VALUE k 0 40000\r\n%s\r\nEND\r\n", "SERVER_ERROR no\r\n"})
  void shouldDropWhatNobodyWaitsForAnyMore(String form) {
    String reply = form.formatted("v".repeat(40_000));
    for (int cut = 1; cut < Math.min(reply.length(), 40); cut++) {
      try (DecodedReplies replies = replies()) {
        PendingReply gone = replies.ask(Command.GET, ReplyKind.VALUES, NOTHING);
        replies.ask(Command.SET, ReplyKind.STORED, NOTHING);
        replies.read(reply.substring(0, cut));
        replies.leaves(gone);
        replies.read(reply.substring(cut) + "STORED\r\n");
        assertThat(replies.got()).as("cut at %d", cut).endsWith("STORED\r\n");
        assertThat(replies.answered()).isEqualTo(1);
      }
    }
  }

  @Test
  void shouldPassEverythingBehindTheOkOfAStream() {
    try (DecodedReplies replies = replies()) {
      replies.ask(Command.WATCH, ReplyKind.STREAM, NOTHING);
      replies.read("O");
      replies.read("K\r\nts=1 half");
      replies.read(" a line\r\nEND\r\n");
      assertThat(replies.got()).isEqualTo("OK\r\nts=1 half a line\r\nEND\r\n");
      assertThat(replies.answered()).isZero();
      assertThat(replies.isInsideReply()).isTrue();
    }
  }

  @Test
  void shouldKnowWhetherAnErrorCouldEndTheReply() {
    try (DecodedReplies replies = replies()) {
      replies.ask(Command.GET, ReplyKind.VALUES, NOTHING);
      replies.read("VALUE k 0 3\r\n");
      assertThat(replies.isInsideValue()).as("behind the line of a value").isTrue();
      replies.read("abc\r");
      assertThat(replies.isInsideValue()).as("before the end of its line end").isTrue();
      replies.read("\n");
      assertThat(replies.isInsideValue()).as("between two lines").isFalse();
      assertThat(replies.isInsideReply()).as("between two lines").isTrue();
      replies.read("EN");
      assertThat(replies.isInsideValue()).as("in a line").isTrue();
      replies.read("D\r\n");
      assertThat(replies.isInsideReply()).isFalse();
    }
  }

  @ParameterizedTest(name = "{2} to {0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "SET    | STORED  | OK\\r\\n",
        "SET    | STORED  | VALUE k 0 3\\r\\n",
        "SET    | STORED  | \\r\\n",
        "DELETE | DELETED | STORED\\r\\n",
        "INCR   | NUMBER  | x17\\r\\n",
        "GET    | VALUES  | STORED\\r\\n",
        "GET    | VALUES  | VALUE other 0 3\\r\\n",
        "GET    | VALUES  | VALUE k 0 3x\\r\\n",
        "GET    | VALUES  | VALUE k 0 -3\\r\\n",
        "GET    | VALUES  | VALUE k 0 3\\r\\nabcd\\r\\n",
        "GET    | VALUES  | VALUE k 0 3\\r\\nabc\\n\\n",
        "MG     | META    | OK\\r\\n",
        "MG     | META    | VA x\\r\\n",
        "MG     | META    | HDx\\r\\n",
        "VERSION | LINE   | STORED\\r\\n",
      })
  void shouldRefuseWhatIsNoReply(Command command, ReplyKind kind, String escaped) {
    String reply = escaped.translateEscapes();
    for (int cut = 1; cut < reply.length(); cut++) {
      try (DecodedReplies replies = replies()) {
        replies.ask(command, kind, NOTHING);
        int at = cut;
        assertThatThrownBy(
                () -> {
                  replies.read(reply.substring(0, at));
                  replies.read(reply.substring(at));
                })
            .as("cut at %d", at)
            .isInstanceOf(ProtocolException.class);
        assertThat(replies.answered()).isZero();
      }
    }
  }

  @Test
  void shouldRefuseAReplyWithTheOpaqueOfAnother() {
    try (DecodedReplies replies = replies()) {
      replies.ask(Command.MG, ReplyKind.META, NOTHING).wireOpaque(31);
      assertThatThrownBy(() -> replies.read("HD O32\r\n")).isInstanceOf(ProtocolException.class);
    }
  }

  @Test
  void shouldWriteNothingOfAValueWithTheWrongLineEnd() {
    try (DecodedReplies replies = replies()) {
      replies.ask(Command.MG, ReplyKind.META, NOTHING).wireOpaque(31);
      assertThatThrownBy(() -> replies.read("VA 3 O31\r\nabcXY"))
          .isInstanceOf(ProtocolException.class);
      assertThat(replies.got()).isEmpty(); // an error can still take its place
    }
  }

  @Test
  void shouldRefuseALineWithoutAnEnd() {
    try (DecodedReplies replies = replies()) {
      replies.ask(Command.SET, ReplyKind.STORED, NOTHING);
      replies.read("x".repeat(16_000));
      assertThatThrownBy(() -> replies.read("x".repeat(1_000)))
          .hasMessageContaining("a line of more than 16384 bytes");
    }
  }

  /** The flags of a meta reply with many keys, say, would take long to rewrite. */
  @Test
  void shouldRefuseALongLineThatComesAtOnce() {
    try (DecodedReplies replies = replies()) {
      replies.ask(Command.MG, ReplyKind.META, NOTHING);
      assertThatThrownBy(() -> replies.read("HD" + " kk".repeat(6_000) + "\r\n"))
          .hasMessageContaining("a line of more than 16384 bytes");
      assertThat(replies.got()).isEmpty();
    }
  }

  /** Otherwise they would be looked for in the buffer when the connection closes. */
  @Test
  void shouldPassOnWholeRepliesBeforeTwoErrors() {
    try (DecodedReplies replies = replies()) {
      replies.ask(Command.GET, ReplyKind.VALUES, NOTHING);
      replies.ask(Command.GET, ReplyKind.VALUES, NOTHING);
      replies.failsInsideReplies();
      String whole = "VALUE k 0 1\r\nv\r\nEND\r\n";
      assertThatThrownBy(() -> replies.read(whole + "VALUE k 0 1\r\nw\r\nbogus\r\n"))
          .hasMessage("of the test");
      assertThat(replies.got()).isEqualTo(whole);
    }
  }

  @Test
  void shouldRefuseWhatNobodyAskedFor() {
    try (DecodedReplies replies = replies()) {
      replies.ask(Command.SET, ReplyKind.STORED, NOTHING);
      assertThatThrownBy(() -> replies.read("STORED\r\nSTORED\r\n"))
          .hasMessageContaining("no request waits");
      assertThat(replies.answered()).isEqualTo(1);
    }
  }

  /** What one dialect says is read, and said to the client in another. */
  @ParameterizedTest(name = "{0} from {1} to {2}: {3}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "GET    | text | meta | VALUE k 5 3\\r\\nabc\\r\\nEND\\r\\n | VA 3\\r\\nabc\\r\\n",
        "GET    | text | meta | END\\r\\n                          | EN\\r\\n",
        "GET    | meta | text | VA 3 f5 O7\\r"
            + "\\n"
            + "abc\\r"
            + "\\n"
            + "     | VALUE k 5 3\\r"
            + "\\n"
            + "abc\\r"
            + "\\n"
            + "END\\r"
            + "\\n",
        "GET    | meta | text | EN O7\\r\\n                        | END\\r\\n",
        "DELETE | text | meta | DELETED\\r\\n                      | HD\\r\\n",
        "DELETE | meta | text | NF O7\\r\\n                        | NOT_FOUND\\r\\n",
        "INCREMENT | text | text | 17\\r\\n                        | 17\\r\\n",
        "INCREMENT | meta | text | VA 2 O7\\r\\n17\\r\\n           | 17\\r\\n",
      })
  void shouldSayItInTheWordsOfTheClient(
      Operation operation, String server, String client, String escaped, String expected) {
    RequestWriter writer =
        server.equals("text") ? TextRequestWriter.INSTANCE : MetaRequestWriter.INSTANCE;
    ReplyWriter words = client.equals("text") ? TextReplyWriter.INSTANCE : MetaReplyWriter.INSTANCE;
    int wants =
        switch (operation) {
          case GET -> client.equals("text") ? Request.VALUE | Request.FLAGS : Request.VALUE;
          case INCREMENT -> Request.VALUE;
          default -> 0;
        };
    DecodedReplies.shouldEndWhereItEnds(
        TextProtocol.INSTANCE,
        asked -> asked.askBridged(operation, wants, writer, words),
        escaped.translateEscapes(),
        expected.translateEscapes());
  }

  @Test
  void shouldDiscardAValueThatTheClientDoesNotWant() {
    DecodedReplies.shouldEndWhereItEnds(
        TextProtocol.INSTANCE,
        asked ->
            asked.askBridged(
                Operation.GET, 0, TextRequestWriter.INSTANCE, MetaReplyWriter.INSTANCE),
        "VALUE k 5 3\r\nabc\r\nEND\r\n",
        "HD\r\n");
  }

  @Test
  void shouldPutAValueBehindAHeaderOfTheBinaryProtocol() {
    DecodedReplies.shouldEndWhereItEnds(
        TextProtocol.INSTANCE,
        asked ->
            asked.askBridged(
                Operation.GET,
                Request.VALUE,
                TextRequestWriter.INSTANCE,
                BinaryReplyWriter.INSTANCE),
        "VALUE k 5 3\r\nabc\r\nEND\r\n",
        DecodedReplies.packet(0, 0, 0, "", "\0\0\0\5", "abc"));
  }

  /** What another event loop asked goes there as it came: that loop reads it again. */
  @ParameterizedTest(name = "{0} from {1}: {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "GET       | text | VALUE k 5 3\\r\\nabc\\r\\nEND\\r\\n",
        "GET       | text | END\\r\\n",
        "GET       | meta | VA 3 f5 O7\\r\\nabc\\r\\n",
        "GET       | meta | EN O7\\r\\n",
        "DELETE    | meta | HD O7\\r\\n",
        "INCREMENT | text | 17\\r\\n",
        "INCREMENT | meta | VA 2 O7\\r\\n17\\r\\n",
      })
  void shouldRelayABridgedReplyAsItIs(Operation operation, String server, String escaped) {
    RequestWriter writer =
        server.equals("text") ? TextRequestWriter.INSTANCE : MetaRequestWriter.INSTANCE;
    int wants = operation == Operation.DELETE ? 0 : Request.VALUE;
    String reply = escaped.translateEscapes();
    DecodedReplies.shouldEndWhereItEnds(
        TextProtocol.INSTANCE,
        asked -> asked.relayBridged(operation, wants, writer, BinaryReplyWriter.INSTANCE),
        reply,
        reply);
  }

  @ParameterizedTest
  @ValueSource(strings = {"VA 3 f0 O31 s3\r\nabc\r\n", "EN\r\n", "HD O31\r\n"})
  void shouldRelayAMetaReplyWithTheOpaqueOfTheConnection(String reply) {
    int opaque = reply.contains("O31") ? 31 : PendingReply.NONE;
    DecodedReplies.shouldEndWhereItEnds(
        TextProtocol.INSTANCE, asked -> asked.relayMeta(opaque), reply, reply);
  }

  @Test
  void shouldRelayNoReplyWithTheOpaqueOfAnother() {
    try (DecodedReplies replies = replies()) {
      replies.relayMeta(31);
      assertThatThrownBy(() -> replies.read("HD O32\r\n")).isInstanceOf(ProtocolException.class);
    }
  }
}
