package sluice.codecs.internode;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import sluice.codecs.ProtocolException;

/** Any bytes: nothing is thrown but {@link ProtocolException}, and nothing contradicts itself. */
class InternodeFuzzTest {
  @FuzzTest(maxDuration = "60s")
  void shouldReadAnyFrames(byte[] bytes) {
    if (bytes.length < 2) {
      return;
    }
    Framing[] framings = Framing.values();
    Framing from = framings[Math.floorMod(bytes[0], 3)];
    Framing to = framings[Math.floorMod(bytes[0] / 3, 3)];
    int size = 1 + Math.floorMod(bytes[1], 128);
    int version = 12 + Math.floorMod(bytes[1], 3);
    try (Collected c = Collected.filtering(from, to, version, header -> header.id() % 2 == 0)) {
      c.readUntilError(mend(from, Arrays.copyOfRange(bytes, 2, bytes.length)), 0, size);
    }
    try (Collected c = Collected.observing(from, to, version)) {
      c.readUntilError(mend(from, Arrays.copyOfRange(bytes, 2, bytes.length)), 0, size);
    }
  }

  /** The same with messages that are replaced: all that was written can be read again. */
  @FuzzTest(maxDuration = "60s")
  void shouldReplaceMessagesOfAnyFrames(byte[] bytes) {
    if (bytes.length < 2) {
      return;
    }
    Framing[] framings = Framing.values();
    Framing from = framings[Math.floorMod(bytes[0], 3)];
    Framing to = framings[Math.floorMod(bytes[0] / 3, 3)];
    byte[] stream = mend(from, Arrays.copyOfRange(bytes, 2, bytes.length));
    Editor editor = new Editor(12, bytes[1] * 50, bytes[0] > 0);
    byte[] out;
    try (Collected c = Collected.replacing(from, to, 12, header -> header.id() % 3 != 0, editor)) {
      c.readUntilError(stream, 0, 1 + Math.floorMod(bytes[1], 128));
      out = c.out();
    }
    try (Collected c = Collected.observing(to, Framing.UNPROTECTED, 12)) {
      String error = c.readUntilError(out, 0, out.length);
      assertThat(error).isNull();
      assertThat(c.reframer.heldBytes()).isZero();
    }
  }

  /** Gives frames the checksums they ought to have, so that what is behind them is reached. */
  private static byte[] mend(Framing framing, byte[] bytes) {
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    int at = 0;
    while (at + framing.headerLength() <= bytes.length) {
      long header = framing == Framing.LZ4 ? in.getLongLE(at) : in.getUnsignedMediumLE(at);
      int payload = (int) header & 0xFF; // short ones, so that there are several
      int plain = framing == Framing.LZ4 ? (int) (header >>> 17) & 0x3FF : 0;
      boolean selfContained = ((framing == Framing.LZ4 ? header >>> 34 : header >>> 17) & 1) != 0;
      Frame.setHeader(in, at, framing, payload, plain, selfContained);
      int end = at + framing.headerLength() + payload;
      if (framing.trailerLength() > 0 && end + 4 <= bytes.length && (header & 0x100) == 0) {
        in.setIntLE(end, new FrameCrc32().of(in, end - payload, payload));
      }
      at = end + framing.trailerLength();
    }
    return bytes;
  }

  @FuzzTest(maxDuration = "60s")
  void shouldReadAnyHeader(byte[] bytes) {
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    MessageHeader header = new MessageHeader();
    for (int version = 12; version <= 14; version++) {
      try {
        boolean whole = header.parse(in, 0, bytes.length, version);
        long length = MessageLength.of(in, 0, bytes.length, version);
        assertThat(length).isEqualTo(whole ? header.messageLength() : MessageLength.INCOMPLETE);
        if (whole) {
          assertThat(header.payloadIndex()).isBetween(header.paramsEnd() + 1, bytes.length);
          int count = 0;
          MessageParams params = header.params();
          while (params.next()) {
            count++;
            assertThat(params.index() + params.length()).isLessThanOrEqualTo(header.paramsEnd());
          }
          assertThat(count).isEqualTo(header.paramCount());
        }
      } catch (ProtocolException e) {
        assertThat(e).hasMessageContaining("expected");
      }
    }
  }

  @FuzzTest(maxDuration = "60s")
  void shouldReadAnyHandshakeAndAnyBlock(byte[] bytes) {
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    try {
      int length = Initiate.length(in, 0, bytes.length);
      if (length != Initiate.INCOMPLETE && length <= bytes.length) {
        Initiate initiate = new Initiate().wrap(in, 0);
        assertThat(initiate.length()).isEqualTo(length);
      }
    } catch (ProtocolException e) {
      assertThat(e.getMessage()).isNotEmpty();
    }
    try {
      if (bytes.length >= LegacyBlock.HEADER_LENGTH
          && LegacyBlock.length(in, 0) <= Math.min(bytes.length, 1 << 20)
          && LegacyBlock.plainLength(in, 0) <= 1 << 20) {
        ByteBuf out = Unpooled.buffer();
        LegacyBlock.decompress(in, 0, out);
        assertThat(out.readableBytes()).isEqualTo(LegacyBlock.plainLength(in, 0));
      }
    } catch (ProtocolException e) {
      assertThat(e.getMessage()).contains("block");
    }
  }

  /** The same targets, without a fuzzer: random bytes, and streams with a few bytes changed. */
  @Test
  void shouldStandRandomDamage() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Vectors.Vector> vectors =
        Vectors.framed().stream().filter(v -> v.bytes().length < 6000).toList();
    try {
      for (int round = 0; round < 600; round++) {
        byte[] bytes = new byte[random.nextInt(400)];
        random.nextBytes(bytes);
        shouldReadAnyFrames(bytes);
        shouldReplaceMessagesOfAnyFrames(bytes);
        shouldReadAnyHeader(bytes);
        byte[] stream = vectors.get(random.nextInt(vectors.size())).bytes();
        for (int i = random.nextInt(4); i >= 0; i--) {
          stream[random.nextInt(stream.length)] = (byte) random.nextInt();
        }
        shouldReadAnyHandshakeAndAnyBlock(stream);
        shouldReadAnyFrames(stream);
        shouldReplaceMessagesOfAnyFrames(stream);
      }
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed, e);
    }
  }
}
