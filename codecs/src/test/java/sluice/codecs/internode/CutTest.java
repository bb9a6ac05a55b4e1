package sluice.codecs.internode;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Streams cut into reads anywhere. */
class CutTest {
  /** Streams of fewer bytes are cut at each. */
  private static final int EVERYWHERE = 3500;

  /** Bytes that may be read for one that is longer. */
  private static final int BUDGET = 1_500_000;

  private static List<Vectors.Vector> intact() {
    return Vectors.intact().stream().filter(v -> !v.frames().isEmpty()).toList();
  }

  @ParameterizedTest
  @MethodSource("intact")
  void shouldReadAStreamCutInTwoAnywhere(Vectors.Vector vector) {
    byte[] bytes = vector.bytes();
    int start = ReframerTest.start(bytes);
    Framing to = vector.framing() == Framing.LZ4 ? Framing.CRC : Framing.LZ4;
    List<List<Object>> expected = Collected.described(vector.messages());
    byte[] plain = reframed(vector, to, bytes, start, bytes.length);
    for (int cut : cuts(bytes, start)) {
      try (Collected c =
          Collected.observing(vector.framing(), vector.framing(), vector.version())) {
        c.read(bytes, start, cut - start, true);
        c.read(bytes, cut, bytes.length - cut, true);
        assertThat(c.messages).isEqualTo(expected);
        assertThat(c.out()).isEqualTo(ReframerTest.tail(bytes, start));
      }
      assertThat(reframed(vector, to, bytes, start, cut)).isEqualTo(plain);
    }
  }

  /** What a stream's frames hold together once they have been in another framing. */
  private static byte[] reframed(
      Vectors.Vector vector, Framing to, byte[] bytes, int start, int cut) {
    try (Collected c = Collected.ofFrames(vector.framing(), to);
        Collected back = Collected.ofFrames(to, Framing.UNPROTECTED)) {
      c.read(bytes, start, cut - start, true);
      c.read(bytes, cut, bytes.length - cut, false);
      assertThat(c.reframer.heldBytes()).isZero();
      back.read(c.out(), 0, bytes.length + 1);
      return ReframerTest.payloads(back.out());
    }
  }

  private static Iterable<Integer> cuts(byte[] bytes, int start) {
    int step =
        bytes.length < EVERYWHERE
            ? 1
            : Math.max(1, (int) ((long) bytes.length * bytes.length / BUDGET));
    TreeSet<Integer> cuts = new TreeSet<>();
    for (int cut = start; cut < bytes.length; cut += step) {
      cuts.add(cut);
    }
    for (int near = 0; near < Math.min(14, bytes.length - start); near++) {
      cuts.add(start + near);
      cuts.add(bytes.length - near);
    }
    return cuts;
  }

  @ParameterizedTest
  @MethodSource("intact")
  void shouldReadAStreamCutAtRandom(Vectors.Vector vector) {
    byte[] bytes = vector.bytes();
    int start = ReframerTest.start(bytes);
    Framing to = vector.framing() == Framing.CRC ? Framing.LZ4 : Framing.CRC;
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (Collected same =
            Collected.observing(vector.framing(), vector.framing(), vector.version());
        Collected c = Collected.observing(vector.framing(), to, vector.version())) {
      for (int at = start; at < bytes.length; ) {
        int most = random.nextInt(4) == 0 ? 40_000 : random.nextInt(3) == 0 ? 2000 : 30;
        int length = Math.min(bytes.length - at, 1 + random.nextInt(most));
        same.read(bytes, at, length, random.nextBoolean());
        c.read(bytes, at, length, random.nextBoolean());
        at += length;
      }
      List<List<Object>> expected = Collected.described(vector.messages());
      assertThat(same.messages).as("seed " + seed).isEqualTo(expected);
      assertThat(c.messages).as("seed " + seed).isEqualTo(expected);
      assertThat(same.out()).as("seed " + seed).isEqualTo(ReframerTest.tail(bytes, start));
    }
  }
}
