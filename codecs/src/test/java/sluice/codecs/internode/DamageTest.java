package sluice.codecs.internode;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.names.Verb;

/** Damaged streams: passed on as they are, left out, or the end of the link; never made whole. */
class DamageTest {
  private static final int[] SIZES = {1 << 20, 7, 1};

  private static Framing other(Framing framing) {
    return framing == Framing.CRC ? Framing.LZ4 : Framing.CRC;
  }

  /** A part of the error that ends the link, or nothing: in the same framing, and in another. */
  @ParameterizedTest
  @CsvSource({
    "crc-header-crc, CRC24, CRC24",
    "crc-header-length-bit, CRC24, CRC24",
    "crc-payload-crc, , ",
    "crc-payload-bit, , ",
    "crc-truncated-header, , ",
    "crc-truncated-payload, , ",
    "crc-truncated-trailer, , ",
    "lz4-header-crc, CRC24, CRC24",
    "lz4-header-length-bit, CRC24, CRC24",
    "lz4-payload-crc, , ",
    "lz4-payload-bit, , ",
    "lz4-truncated-header, , ",
    "lz4-truncated-payload, , ",
    "lz4-truncated-trailer, , ",
    "unprotected-header-crc, CRC24, CRC24",
    "crc-first-partial-payload-crc, , partial frame with a wrong CRC32",
    "crc-later-partial-payload-crc, , partial frame with a wrong CRC32",
    "lz4-raw-later-partial-payload-crc, , partial frame with a wrong CRC32",
    "partial-header-split, ends inside a message, ends inside a message",
    "partial-split-before-payload-length, ends inside a message, ends inside a message",
    "partial-complete-message, holds a whole message, holds a whole message",
    "partial-empty, empty partial frame, empty partial frame",
    "partial-two-messages, holds a whole message, holds a whole message",
    "contained-message-too-long, has only 12 more, has only 12 more",
    "message-oversize, over the limit, over the limit",
    "message-payload-length-2pow40, over the limit, over the limit",
    "params-count-huge, 2147483648 params, 2147483648 params",
    "param-length-huge, 2147483648 bytes of a param, 2147483648 bytes of a param",
    "verb-unknown, , ",
    "lz4-bad-block, not an LZ4 block, not an LZ4 block",
    "lz4-wrong-uncompressed-length, but the frame says 500, but the frame says 500",
    "crc-max-length-incomplete, , ",
  })
  void shouldDoWithDamageWhatIsPromised(String name, String same, String reframed) {
    Vectors.Vector vector = Vectors.named("negative/negative-" + name + ".bin");
    byte[] bytes = vector.bytes();
    int start = ReframerTest.start(bytes);
    boolean corrupt = name.contains("payload-crc") || name.contains("payload-bit");
    for (int size : SIZES) {
      try (Collected c = Collected.observing(vector.framing(), vector.framing(), 12)) {
        assertError(c.readUntilError(bytes, start, size), same);
        assertThat(c.out()).isEqualTo(Arrays.copyOfRange(bytes, start, start + c.out().length));
        if (same == null) {
          assertThat(c.out().length + c.reframer.heldBytes()).isEqualTo(bytes.length - start);
          assertThat(c.reframer.heldBytes()).isEqualTo(vector.oracle().get("undecodedTailBytes"));
        }
      }
      try (Collected c = Collected.observing(vector.framing(), other(vector.framing()), 12)) {
        assertError(c.readUntilError(bytes, start, size), reframed);
        assertThat(c.reframer.droppedFrames()).isEqualTo(corrupt && reframed == null ? 1 : 0);
        if (vector.hasFrames() && reframed == null && !name.equals("verb-unknown")) {
          assertThat(c.messages).isEqualTo(Collected.described(vector.messages()));
        }
      }
    }
  }

  private static void assertError(String found, String expected) {
    if (expected == null) {
      assertThat(found).isNull();
    } else {
      assertThat(found).contains(expected);
    }
  }

  /** Every bit of a stream turned over, one at a time: no message leaves that had not come so. */
  @ParameterizedTest
  @ValueSource(strings = {"crc", "lz4"})
  void shouldNeverMakeADamagedMessageWhole(String framing) {
    Vectors.Vector vector = Vectors.named("synthetic/synthetic-fields-v12-" + framing + ".bin");
    byte[] bytes = vector.bytes();
    int start = ReframerTest.start(bytes);
    Set<String> sent = new HashSet<>(messages(vector.framing(), ReframerTest.tail(bytes, start)));
    int ended = 0;
    long dropped = 0;
    for (int at = start; at < bytes.length; at++) {
      int bit = 1 << (at % 8);
      bytes[at] ^= (byte) bit;
      for (Framing to : List.of(Framing.UNPROTECTED, other(vector.framing()))) {
        try (Collected c = Collected.ofFrames(vector.framing(), to)) {
          ended += c.readUntilError(bytes, start, bytes.length) == null ? 0 : 1;
          dropped += c.reframer.droppedFrames();
          assertThat(sent).containsAll(messages(to, c.out()));
        }
      }
      bytes[at] ^= (byte) bit;
    }
    assertThat(ended).isPositive();
    assertThat(dropped).isPositive();
  }

  /** Header and payload of each message of self-contained frames, as text. */
  private static List<String> messages(Framing framing, byte[] stream) {
    List<String> messages = new ArrayList<>();
    try (Collected c = Collected.ofFrames(framing, Framing.UNPROTECTED)) {
      c.read(stream, 0, stream.length + 1);
      byte[] plain = ReframerTest.payloads(framing == Framing.UNPROTECTED ? stream : c.out());
      MessageHeader header = new MessageHeader();
      for (int at = 0; at < plain.length; at += (int) header.messageLength()) {
        assertThat(header.parse(Unpooled.wrappedBuffer(plain), at, plain.length, 12)).isTrue();
        messages.add(new String(plain, at, (int) header.messageLength(), ISO_8859_1));
      }
    }
    return messages;
  }

  /** A frame that cannot be trusted is not searched for messages to refuse, nor is it changed. */
  @ParameterizedTest
  @EnumSource(names = {"CRC", "LZ4"})
  void shouldNotCutMessagesOutOfACorruptFrame(Framing framing) {
    String name = "negative/negative-" + (framing == Framing.CRC ? "crc" : "lz4");
    byte[] bytes = Vectors.named(name + "-payload-crc.bin").bytes();
    int start = ReframerTest.start(bytes);
    try (Collected c = Collected.filtering(framing, framing, 12, header -> false)) {
      c.read(bytes, start, bytes.length);
      Frame frame = new Frame(framing);
      int second = start + frame.wrap(Unpooled.wrappedBuffer(bytes), start).length();
      int length = frame.wrap(Unpooled.wrappedBuffer(bytes), second).length();
      assertThat(c.out()).isEqualTo(Arrays.copyOfRange(bytes, second, second + length));
    }
  }

  /** A later frame may be corrupt where a node loses only its message. */
  @ParameterizedTest
  @CsvSource({"crc-first, wrong CRC32", "crc-later, ", "lz4-raw-later, wrong CRC32"})
  void shouldPassACorruptPartialFrameOnlyIfANodeCountsItsBytes(String partial, String expected) {
    Vectors.Vector vector =
        Vectors.named("negative/negative-" + partial + "-partial-payload-crc.bin");
    byte[] bytes = vector.bytes();
    int start = ReframerTest.start(bytes);
    for (int size : SIZES) {
      try (Collected c =
          Collected.filtering(vector.framing(), vector.framing(), 12, header -> true)) {
        assertError(c.readUntilError(bytes, start, size), expected);
        byte[] passed = Arrays.copyOfRange(bytes, start, start + c.out().length);
        assertThat(c.out()).isEqualTo(passed);
        assertThat(passed.length == bytes.length - start).isEqualTo(expected == null);
      }
    }
  }

  /** What does not reach the node cannot put it out of step. */
  @Test
  void shouldRemoveAMessageOfWhichALaterFrameIsCorrupt() {
    Vectors.Vector vector =
        Vectors.named("negative/negative-lz4-raw-later-partial-payload-crc.bin");
    byte[] bytes = vector.bytes();
    try (Collected c =
        Collected.filtering(Framing.LZ4, Framing.LZ4, 12, header -> header.id() != 2)) {
      c.read(bytes, ReframerTest.start(bytes), bytes.length);
      assertThat(c.messages).hasSize(4);
    }
  }

  /**
   * A node counts a corrupt plain frame as 0 bytes, so it expects as many more. If the gateway
   * passed the frame, both would take another frame for the beginning of the next message.
   */
  @Test
  void shouldNotLetACorruptFrameHideTheBeginningOfAMessage() {
    byte[] first = message(Verb.MUTATION_REQ, 3_000);
    byte[] refused = message(Verb.TRUNCATE_REQ, 2_000);
    int half = refused.length / 2;
    byte[] cover = message(Verb.MUTATION_REQ, 3_000);
    int rest = cover.length - refused.length; // so that the refused message seems to be its end
    byte[] begin = plainPart(first, 0, first.length - rest);
    byte[] corrupt = plainPart(first, first.length - rest, first.length);
    corrupt[corrupt.length - 1] ^= 1;
    byte[] hidden =
        join(
            plainPart(cover, 0, rest),
            plainPart(refused, 0, half),
            plainPart(refused, half, refused.length));
    byte[] stream = join(begin, corrupt, hidden);
    try (Collected c =
        Collected.filtering(
            Framing.LZ4, Framing.LZ4, 12, header -> header.verb() != Verb.TRUNCATE_REQ.id())) {
      assertError(c.readUntilError(stream, 0, 1_000), "partial frame with a wrong CRC32");
      assertThat(c.out()).isEqualTo(begin);
    }
  }

  private static byte[] message(Verb verb, int payloadLength) {
    ByteBuf out = Unpooled.buffer();
    new MessageHeaderWriter(12).id(7).verb(verb.id()).write(out, payloadLength);
    return ByteBufUtil.getBytes(out.writeZero(payloadLength));
  }

  /** A part of a message in a partial frame that is not compressed. */
  private static byte[] plainPart(byte[] message, int from, int to) {
    int header = Framing.LZ4.headerLength();
    ByteBuf out = Unpooled.buffer().writeZero(header).writeBytes(message, from, to - from);
    Frame.setHeader(out, 0, Framing.LZ4, to - from, 0, false);
    out.writeIntLE(new FrameCrc32().of(out, header, to - from));
    return ByteBufUtil.getBytes(out);
  }

  private static byte[] join(byte[]... parts) {
    return ByteBufUtil.getBytes(Unpooled.wrappedBuffer(parts));
  }
}
