package sluice.codecs.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.codecs.compress.Lz4;

/** A reframer stops where a message ends, and another goes on from there. */
class BetweenMessagesTest {
  private static final int MOST_FRAMES = 60;

  static List<Vectors.Vector> streams() {
    return Vectors.intact().stream()
        .filter(Vectors.Vector::hasFrames)
        .filter(v -> v.frames().stream().anyMatch(frame -> isPartial(frame)))
        .toList();
  }

  private static boolean isPartial(List<Object> frame) {
    return !isSelfContained(frame);
  }

  private static boolean isSelfContained(List<Object> frame) {
    return frame.get(1).equals(true) || frame.get(1).equals(1);
  }

  /** Where each frame ends. */
  private static List<Integer> ends(Vectors.Vector vector, byte[] bytes, int start) {
    List<Integer> ends = new ArrayList<>();
    ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
    Frame frame = new Frame(vector.framing());
    for (int at = start; at < bytes.length && ends.size() < MOST_FRAMES; ) {
      at += frame.wrap(buffer, at).length();
      ends.add(at);
    }
    return ends;
  }

  @ParameterizedTest
  @MethodSource("streams")
  void shouldKnowAfterEveryFrameWhetherAMessageIsOpen(Vectors.Vector vector) {
    byte[] bytes = vector.bytes();
    int start = new Initiate().wrap(Unpooled.wrappedBuffer(bytes), 0).length();
    Framing framing = vector.framing();
    for (int end : ends(vector, bytes, start)) {
      byte[] part = Arrays.copyOf(bytes, end);
      try (Collected looking = Collected.observing(framing, framing, vector.version());
          Collected following =
              new Collected(
                  c -> Reframer.ofFrames(framing, framing, vector.version(), c.workspace, c))) {
        looking.read(part, start, 40_000);
        following.read(part, start, 1_000);
        looking.reframer.stopBetweenMessages(false);
        following.reframer.stopBetweenMessages(false);
        assertThat(following.reframer.isUnsure()).isFalse();
        assertThat(following.reframer.isStopped())
            .as("after %d bytes", end)
            .isEqualTo(looking.reframer.isStopped());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("streams")
  void shouldGoOnWithAnotherReframerBehindTheMessageThatIsOpen(Vectors.Vector vector) {
    byte[] bytes = vector.bytes();
    int start = new Initiate().wrap(Unpooled.wrappedBuffer(bytes), 0).length();
    Framing framing = vector.framing();
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 20; i++) {
      int cut = start + random.nextInt(bytes.length - start);
      try (Collected first =
              new Collected(
                  c -> Reframer.ofFrames(framing, framing, vector.version(), c.workspace, c));
          Collected second = Collected.filtering(framing, framing, vector.version(), h -> true)) {
        first.read(Arrays.copyOf(bytes, cut), start, 10_000);
        first.reframer.stopBetweenMessages(false);
        first.read(bytes, cut, 10_000);
        assertThat(first.reframer.isStopped()).as("seed " + seed).isTrue();
        first.reframer.moveTo(second.reframer);
        second.reframer.readOn();
        assertThat(
                Arrays.equals(
                    join(first.out(), second.out()),
                    0,
                    bytes.length - start,
                    bytes,
                    start,
                    bytes.length))
            .as("seed " + seed)
            .isTrue();
      }
    }
  }

  private static byte[] join(byte[] one, byte[] other) {
    byte[] both = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }

  @Test
  void shouldNotKnowWhereAMessageEndsWhoseHeaderCannotBeRead() {
    byte[] nonsense = new byte[2_000];
    Arrays.fill(nonsense, (byte) 0xFF);
    try (Collected frames =
        new Collected(
            c -> Reframer.ofFrames(Framing.UNPROTECTED, Framing.UNPROTECTED, 12, c.workspace, c))) {
      frames.read(unprotected(false, nonsense), 0, 500);
      frames.reframer.stopBetweenMessages(false);
      assertThat(frames.reframer.isUnsure()).isTrue();
      assertThat(frames.reframer.isStopped()).isFalse();
      frames.read(unprotected(true, nonsense), 0, 500);
      assertThat(frames.reframer.isUnsure()).isFalse();
      assertThat(frames.reframer.isStopped()).isTrue();
    }
  }

  /** A node counts the corrupt frame as 0 bytes, and so waits for more of the same message. */
  @Test
  void shouldNotTakeAMessageForCompleteThatANodeStillWaitsFor() {
    Vectors.Vector vector =
        Vectors.named("negative/negative-lz4-raw-later-partial-payload-crc.bin");
    byte[] bytes = vector.bytes();
    int start = ReframerTest.start(bytes);
    List<Integer> ends = ends(vector, bytes, start);
    try (Collected frames =
        new Collected(c -> Reframer.ofFrames(Framing.LZ4, Framing.LZ4, 12, c.workspace, c))) {
      frames.read(Arrays.copyOf(bytes, ends.get(2)), start, 500); // up to the corrupt frame
      frames.reframer.stopBetweenMessages(false);
      assertThat(frames.reframer.isUnsure()).isFalse();
      assertThat(frames.reframer.isStopped()).isFalse();
    }
  }

  private static byte[] unprotected(boolean selfContained, byte[] payload) {
    int header = Framing.UNPROTECTED.headerLength();
    ByteBuf out = Unpooled.buffer().writeZero(header).writeBytes(payload);
    Frame.setHeader(out, 0, Framing.UNPROTECTED, payload.length, 0, selfContained);
    return Arrays.copyOf(out.array(), header + payload.length);
  }

  @Test
  void shouldDecompressTheBeginningOfABlockWhereverItEnds() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      int length = 1 + random.nextInt(3_000);
      ByteBuf plain = Unpooled.buffer(length);
      for (int at = 0; at < length; at++) {
        plain.writeByte(random.nextInt(1 + i % 6) == 0 ? random.nextInt() : 7);
      }
      ByteBuf block = Unpooled.buffer(Lz4.maxCompressedLength(length));
      int whole = Lz4.compress(plain, 0, length, block, 0);
      ByteBuf out = Unpooled.buffer(length);
      int most = 1 + random.nextInt(length);
      assertThat(Lz4.decompressStart(block, 0, whole, out, 0, most)).isEqualTo(most);
      assertThat(Arrays.equals(out.array(), 0, most, plain.array(), 0, most))
          .as("seed " + seed)
          .isTrue();
      int there = random.nextInt(whole);
      int some = Lz4.decompressStart(block, 0, there, out, 0, length);
      assertThat(some).isBetween(0, length);
    }
  }

  @Test
  void shouldDecompressNothingBehindWhatIsNoBlock() {
    Random random = new Random(1);
    ByteBuf block = Unpooled.buffer(500).writerIndex(500);
    ByteBuf out = Unpooled.buffer(100, 100);
    for (int i = 0; i < 20_000; i++) {
      random.nextBytes(block.array());
      assertThat(Lz4.decompressStart(block, 0, 1 + random.nextInt(500), out, 0, 100))
          .isBetween(0, 100);
    }
  }
}
