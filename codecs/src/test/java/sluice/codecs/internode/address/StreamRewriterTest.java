package sluice.codecs.internode.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.codecs.internode.RecordedMessages;
import sluice.codecs.internode.RecordedMessages.RecordedStream;
import sluice.codecs.internode.address.Rewritten.StreamRewriterCheck;

/** Streaming connections of real nodes, and files of other kinds, cut everywhere. */
class StreamRewriterTest {
  private static final byte[] ADDRESS = {6, 127, 0, 0, 13, 0x1B, 0x58};

  private static List<RecordedStream> streams() {
    return RecordedMessages.streaming();
  }

  private static byte[] rewrite(AddressMap map, int version, byte[] stream, int size) {
    return Rewritten.stream(
        new StreamRewriterCheck(map, version, StreamRewriterTest::assertWhole), stream, size);
  }

  private static void assertWhole(StreamRewriter rewriter) {
    assertThat(rewriter.isLost()).isFalse();
    assertThat(rewriter.heldBytes()).isZero();
  }

  @Test
  void shouldKnowAllRecordedStreams() {
    assertThat(streams()).hasSizeGreaterThanOrEqualTo(7);
  }

  @ParameterizedTest
  @MethodSource("streams")
  void shouldUndoWhatTheInverseDidWhereverTheStreamIsCut(RecordedStream stream) {
    for (AddressMap map : List.of(Rewritten.IDENTITY, Rewritten.IPV4, Rewritten.IPV6)) {
      byte[] whole = rewrite(map, stream.version(), stream.bytes(), Integer.MAX_VALUE >> 1);
      for (int size : new int[] {1, 2, 3, 7, 61, 1460}) {
        assertThat(rewrite(map, stream.version(), stream.bytes(), size)).isEqualTo(whole);
      }
      assertThat(rewrite(map.inverse(), stream.version(), whole, 17)).isEqualTo(stream.bytes());
    }
    assertThat(rewrite(Rewritten.IDENTITY, stream.version(), stream.bytes(), 100))
        .isEqualTo(stream.bytes());
  }

  @Test
  void shouldReplaceWhoStreamsAndWhoIsAsked() {
    byte[] control =
        streams().stream()
            .filter(s -> s.name().contains("rebuild-control-b2a.c2s"))
            .findFirst()
            .orElseThrow()
            .bytes();
    assertThat(Rewritten.indexOf(control, ADDRESS)).isEqualTo(1); // STREAM_INIT
    byte[] there = rewrite(Rewritten.IPV6, 12, control, 50);
    assertThat(there).hasSize(control.length + 24);
    assertThat(Rewritten.indexOf(there, ADDRESS)).isEqualTo(-1);
  }

  @Test
  void shouldNotTouchTheBytesOfAFile() {
    for (int sections : new int[] {1, 3}) {
      for (int chunks : new int[] {-1, 0, 4}) {
        for (boolean entire : new boolean[] {true, false}) {
          ByteBuf file = file(sections, chunks, entire);
          byte[] stream = ByteBufUtil.getBytes(file);
          for (int size : new int[] {stream.length, 13, 1}) {
            byte[] there = rewrite(Rewritten.IPV4, 12, stream, size);
            byte[] expected = stream.clone();
            for (int at : new int[] {17, expected.length / 2 + 17}) {
              byte[] replaced = {6, (byte) 198, 51, 100, (byte) 213, 0x1B, 0x58};
              System.arraycopy(replaced, 0, expected, at, replaced.length);
            }
            assertThat(there).isEqualTo(expected);
          }
        }
      }
    }
  }

  /** Two files, one behind the other, whose bytes are addresses. */
  private static ByteBuf file(int sections, int chunks, boolean entire) {
    ByteBuf out = Unpooled.buffer();
    for (int i = 0; i < 2; i++) {
      out.writeByte(StreamFields.STREAM).writeZero(16).writeBytes(ADDRESS).writeZero(16);
      out.writeByte(0).writeInt(0).writeInt(i).writeLong(0).writeByte(1).writeZero(16);
      utf(out, "nb");
      utf(out, "big");
      out.writeLong(99).writeInt(sections);
      for (int section = 0; section < sections; section++) {
        out.writeLong(1000L * section).writeLong(1000L * section + 70);
      }
      out.writeInt(chunks);
      for (int chunk = 0; chunk < chunks; chunk++) {
        out.writeLong(100L * chunk).writeInt(66);
      }
      if (chunks >= 0) {
        utf(out, "LZ4Compressor");
        out.writeInt(1);
        utf(out, "option");
        utf(out, "value");
        out.writeInt(16384).writeInt(Integer.MAX_VALUE);
      }
      out.writeInt(0).writeMedium(0);
      out.writeByte(3).writeMedium(7).writeByte(1).writeByte(1).writeByte(9); // key and clustering
      out.writeByte(0).writeByte(1).writeByte(1).writeByte('v').writeByte(0).writeZero(16);
      out.writeBoolean(entire);
      if (entire) {
        out.writeByte(2);
        utf(out, "Data.db");
        out.writeByte(70);
        utf(out, "Filter.db");
        out.writeByte(14).writeByte(1).writeByte('k');
        addresses(out, 84);
      } else if (chunks >= 0) {
        addresses(out, 70 * chunks);
      } else {
        for (int section = 0; section < sections; section++) {
          out.writeInt(35).writeInt(69);
          addresses(out, 35);
          out.writeInt(7).writeInt(1);
          addresses(out, 7);
        }
      }
    }
    return out;
  }

  private static void utf(ByteBuf out, String text) {
    out.writeShort(text.length()).writeCharSequence(text, StandardCharsets.US_ASCII);
  }

  private static void addresses(ByteBuf out, int bytes) {
    for (int left = bytes; left > 0; left -= ADDRESS.length) {
      out.writeBytes(ADDRESS);
    }
  }

  @Test
  void shouldPassEverythingFromWhatItCannotReadOn() {
    byte[] control = streams().get(0).bytes();
    for (int type : new int[] {0, 4, 11, 255}) {
      byte[] stream = Arrays.copyOf(control, 2 * control.length + 1);
      stream[control.length] = (byte) type;
      System.arraycopy(control, 0, stream, control.length + 1, control.length);
      byte[] there =
          Rewritten.stream(
              new StreamRewriterCheck(
                  Rewritten.IPV4, 12, rewriter -> assertThat(rewriter.isLost()).isTrue()),
              stream,
              97);
      assertThat(Arrays.copyOf(there, control.length))
          .isEqualTo(rewrite(Rewritten.IPV4, 12, control, 97));
      assertThat(Arrays.copyOfRange(there, control.length, there.length))
          .isEqualTo(Arrays.copyOfRange(stream, control.length, stream.length));
    }
  }

  /** The beginning of a message does not keep the buffer that it was read to. */
  @Test
  void shouldHoldLittleMoreThanTheRestOfARead() {
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    StreamRewriter rewriter = new StreamRewriter(Rewritten.IPV4, 12, allocator, ByteBuf::release);
    ByteBuf read = allocator.directBuffer(65536, 65536);
    for (int i = 0; i < 65531; i++) {
      read.writeByte(StreamFields.KEEP_ALIVE);
    }
    rewriter.read(read.writeByte(StreamFields.RECEIVED).writeInt(1));
    assertThat(rewriter.heldBytes()).isEqualTo(5);
    assertThat(allocator.metric().usedDirectMemory()).isLessThan(1024);
    rewriter.close();
  }

  /** An unending message is not held for ever. */
  @Test
  void shouldHoldNoMoreThanOneMessageMayHave() {
    byte[] stream = new byte[3 * StreamRewriter.MAX_HELD];
    stream[0] = StreamFields.PREPARE_SYN;
    stream[1] = 0x7F; // that many requests
    byte[] there =
        Rewritten.stream(
            new StreamRewriterCheck(
                Rewritten.IPV4, 12, rewriter -> assertThat(rewriter.isLost()).isTrue()),
            stream,
            65536);
    assertThat(there).isEqualTo(stream);
  }

  /** Damage is passed on: nothing is thrown, nothing is lost but what is held at the end. */
  @Test
  void shouldStandRandomDamage() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 2000; round++) {
      RecordedStream recorded = streams().get(random.nextInt(streams().size()));
      byte[] stream = recorded.bytes().clone();
      for (int i = random.nextInt(3); i >= 0; i--) {
        stream[random.nextInt(stream.length)] = (byte) random.nextInt();
      }
      int[] held = new int[1];
      byte[] there =
          Rewritten.stream(
              new StreamRewriterCheck(
                  Rewritten.IPV4, recorded.version(), r -> held[0] = r.heldBytes()),
              stream,
              1 + random.nextInt(500));
      assertThat(there.length + held[0]).as("seed %d", seed).isEqualTo(stream.length);
    }
  }
}
