package sluice.codecs.memcached.bridge;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;

/** Statistics, and their end, as binary clients get them. */
class StatsPacketTest {
  private static Awaited awaited() {
    Request request = new Request();
    request.operation = Operation.STATS;
    request.opcode = Opcode.STAT;
    Awaited awaited = new Awaited();
    awaited.remember(request);
    return awaited;
  }

  /** The first colon of a key ends its prefix, which is empty if the key begins with the colon. */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "STAT curr_items 17|curr_items|17",
        "STAT curr_items|curr_items|",
        "'STAT '|' '|",
        "PREFIX a get 1 hit 0|a|get 1 hit 0",
        "PREFIX  get 1 hit 0|' '|get 1 hit 0",
        "ITEM  foo [3 b; 0 s]|' '|foo [3 b; 0 s]"
      })
  void shouldNotEndWithAStatisticWithoutAName(String line, String name, String text) {
    ByteBuf in = Unpooled.copiedBuffer(line, ISO_8859_1);
    Awaited awaited = awaited();
    Reply reply = new Reply();
    assertThat(TextReplyReader.INSTANCE.read(in, 0, in.writerIndex(), awaited, reply)).isTrue();
    for (ReplyWriter writer : List.of(BinaryReplyWriter.INSTANCE, new IgniteReplyWriter())) {
      ByteBuf out = Unpooled.buffer();
      writer.write(reply, awaited, out);
      int body = out.readableBytes() - BinaryHeader.LENGTH;
      assertThat(BinaryHeader.keyLength(out, 0)).isEqualTo(name.length());
      assertThat(BinaryHeader.bodyLength(out, 0)).isEqualTo(body);
      assertThat(out.toString(BinaryHeader.LENGTH, body, ISO_8859_1))
          .isEqualTo(name + (text == null ? "" : text));
    }
  }

  /** A header that announced a value would take the next reply for it. */
  @Test
  void shouldAnnounceNoValueInTheLastPacket() {
    Awaited awaited = awaited();
    ByteBuf value = Unpooled.copiedBuffer(new byte[] {1, 2, 3});
    Reply reply = new Reply().clear(Status.OK);
    reply.text.set(value, 0, value.writerIndex());
    ByteBuf out = Unpooled.buffer();
    BinaryReplyWriter.INSTANCE.write(reply, awaited, out);
    assertThat(out.readableBytes()).isEqualTo(BinaryHeader.LENGTH);
    assertThat(out.getInt(8)).as("length of the body").isZero();
  }
}
