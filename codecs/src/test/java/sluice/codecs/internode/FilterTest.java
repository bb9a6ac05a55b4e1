package sluice.codecs.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.names.Verb;

/** What is left out, and how frames are put together. */
class FilterTest {
  private static List<Vectors.Vector> intact() {
    return Vectors.intact().stream().filter(v -> v.messages().size() > 1).toList();
  }

  @ParameterizedTest
  @MethodSource("intact")
  void shouldLeaveOutWhatTheFilterRefuses(Vectors.Vector vector) {
    byte[] bytes = vector.bytes();
    int start = ReframerTest.start(bytes);
    List<List<Object>> all = Collected.described(vector.messages());
    List<List<Object>> odd =
        all.stream().filter(m -> isKept((long) m.get(0), (long) m.get(3))).toList();
    for (Framing to : Framing.values()) {
      for (int size : new int[] {bytes.length, 1460, 61}) {
        byte[] left;
        try (Collected c =
            Collected.filtering(
                vector.framing(),
                to,
                vector.version(),
                header -> isKept(header.id(), header.payloadLength()))) {
          c.read(bytes, start, size);
          assertThat(c.messages).isEqualTo(all);
          left = c.out();
        }
        try (Collected c = Collected.observing(to, Framing.UNPROTECTED, vector.version())) {
          c.read(left, 0, left.length + 1);
          assertThat(c.messages).isEqualTo(odd);
          assertThat(c.reframer.droppedFrames()).isZero();
        }
      }
    }
  }

  private static boolean isKept(long id, long payloadLength) {
    return (id ^ payloadLength) % 2 == 0;
  }

  private static ByteBuf frames(Framing framing, ByteBuf... payloads) {
    ByteBuf out = Unpooled.buffer();
    FrameCrc32 crc = new FrameCrc32();
    for (ByteBuf payload : payloads) {
      int length = payload.readableBytes();
      int at = out.writerIndex();
      out.writeZero(framing.headerLength());
      Frame.setHeader(out, at, framing, length, 0, true);
      out.writeBytes(payload, 0, length);
      if (framing.trailerLength() > 0) {
        out.writeIntLE(crc.of(payload, 0, length));
      }
    }
    return out;
  }

  private static ByteBuf message(int id, int payload) {
    ByteBuf out = Unpooled.buffer();
    new MessageHeaderWriter(12).id(id).verb(Verb.ECHO_REQ.id()).write(out, payload);
    return out.writeZero(payload);
  }

  private static byte[] bytes(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.getBytes(0, bytes);
    return bytes;
  }

  @Test
  void shouldJoinNeighboursBeforeTheyAreCompressed() {
    ByteBuf[] payloads = new ByteBuf[40];
    for (int i = 0; i < payloads.length; i++) {
      payloads[i] = message(i, 10_000);
    }
    byte[] stream = bytes(frames(Framing.CRC, payloads));
    try (Collected c = Collected.observing(Framing.CRC, Framing.LZ4, 12)) {
      c.read(stream, 0, stream.length);
      assertThat(c.messages).hasSize(40);
      Frame frame = new Frame(Framing.LZ4);
      ByteBuf out = Unpooled.wrappedBuffer(c.out());
      int frames = 0;
      for (int at = 0; at < out.readableBytes(); at += frame.length()) {
        frame.wrap(out, at);
        assertThat(frame.isSelfContained()).isTrue();
        assertThat(frame.isCompressed()).isTrue();
        assertThat(frame.plainLength()).isLessThanOrEqualTo(Frame.MAX_PAYLOAD);
        frames++;
      }
      assertThat(frames).isEqualTo(4); // 13 messages of 10 kB fit into 131071 bytes
    }
  }

  @Test
  void shouldSendPlainWhatDoesNotShrinkWithTheCrcItHad() {
    ByteBuf payload = Unpooled.buffer();
    new MessageHeaderWriter(12).id(7).verb(0).write(payload, 5000);
    byte[] noise = new byte[5000];
    new Random(1).nextBytes(noise);
    payload.writeBytes(noise);
    byte[] crc = bytes(frames(Framing.CRC, payload));
    byte[] lz4 = bytes(frames(Framing.LZ4, payload));
    try (Collected there = Collected.observing(Framing.CRC, Framing.LZ4, 12);
        Collected back = Collected.observing(Framing.LZ4, Framing.CRC, 12)) {
      assertThat(there.read(crc, 0, 700).out()).isEqualTo(lz4);
      assertThat(back.read(lz4, 0, 700).out()).isEqualTo(crc);
    }
  }

  @Test
  void shouldDropEmptyFramesOnlyWhereFramesAreWrittenAnew() {
    byte[] stream = bytes(frames(Framing.CRC, Unpooled.EMPTY_BUFFER));
    try (Collected same = Collected.observing(Framing.CRC, Framing.CRC, 12);
        Collected other = Collected.observing(Framing.CRC, Framing.LZ4, 12)) {
      assertThat(same.read(stream, 0, 99).out()).isEqualTo(stream);
      assertThat(other.read(stream, 0, 99).out()).isEmpty();
    }
  }

  /** A header that is larger than a read, with params of 100 kB: only then is one copied. */
  @Test
  void shouldReadAHeaderThatLiesInManyReads() {
    ByteBuf params = Unpooled.buffer();
    for (int i = 0; i < 10; i++) {
      Vint.write(params, 14);
      Vint.write(params, 10_000);
      params.writeZero(10_000);
    }
    ByteBuf payload = Unpooled.buffer();
    new MessageHeaderWriter(14)
        .id(-1)
        .epoch(5)
        .verb(Verb.TCM_COMMIT_REQ.id())
        .write(payload, 10, params, 0, params.readableBytes(), 3);
    payload.writeMedium(1);
    byte[] stream = bytes(frames(Framing.CRC, payload));
    try (Collected c = Collected.observing(Framing.CRC, Framing.LZ4, 14)) {
      c.read(stream, 0, 1200);
      assertThat(c.messages).hasSize(1);
      assertThat(c.messages.get(0).get(0)).isEqualTo(-1L);
      assertThat(c.messages.get(0).get(7)).isEqualTo(10L);
    }
  }

  @Test
  void shouldWriteHeadersAsTheyWereRead() {
    MessageHeader header = new MessageHeader();
    for (Vectors.Vector vector : Vectors.intact()) {
      byte[] bytes = vector.bytes();
      ByteBuf written = Unpooled.buffer();
      MessageHeaderWriter writer = new MessageHeaderWriter(vector.version());
      try (Collected c =
          Collected.filtering(
              vector.framing(),
              Framing.UNPROTECTED,
              vector.version(),
              seen -> {
                writer
                    .like(seen)
                    .write(
                        written.clear(),
                        seen.paramCount(),
                        seen.buffer(),
                        seen.paramsIndex(),
                        seen.paramsEnd() - seen.paramsIndex(),
                        seen.payloadLength());
                assertThat(written)
                    .isEqualTo(seen.buffer().slice(seen.index(), seen.headerLength()));
                assertThat(header.parse(written, 0, written.readableBytes(), vector.version()))
                    .isTrue();
                return true;
              })) {
        c.read(bytes, ReframerTest.start(bytes), bytes.length);
        assertThat(c.messages).hasSize(vector.messages().size());
      }
    }
  }
}
