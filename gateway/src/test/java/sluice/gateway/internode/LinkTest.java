package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.Vectors;
import sluice.testkit.Patience;

/** What nodes once said to each other, through a gateway. */
class LinkTest {
  enum Passing {
    SAME,
    CRC,
    LZ4,
    UNPROTECTED;

    Framing of(Framing chosen) {
      return this == SAME ? chosen : Framing.valueOf(name());
    }
  }

  private static List<Vectors.Vector> streams() {
    return Vectors.intact().stream()
        .filter(v -> v.file().endsWith(".c2s.bin") && v.reply() != null)
        .toList();
  }

  static byte[] accept(Vectors.Vector vector) {
    byte[] bytes = Vectors.bytes((String) vector.reply().get("file"));
    return Arrays.copyOf(bytes, 12);
  }

  static Initiate initiate(byte[] bytes) {
    return new Initiate().wrap(Unpooled.wrappedBuffer(bytes), 0);
  }

  @ParameterizedTest
  @EnumSource(Passing.class)
  void shouldPassEveryRecordedConversationWhateverTheFraming(Passing passing) throws Exception {
    long seed = System.nanoTime();
    assertThat(streams()).hasSizeGreaterThan(30);
    String pool = "framing: " + passing.name().toLowerCase(Locale.ROOT);
    for (byte[] accept : accepts()) {
      try (FakeNode node = FakeNode.answering(accept);
          RunningLinks links = RunningLinks.before(node.address(), pool, "handshake: 5s", "")) {
        passAll(accept, passing, node, links, seed);
      }
    }
  }

  /** Passes all recorded conversations that are answered like this. */
  static void passAll(byte[] accept, Passing passing, FakeNode node, RunningLinks links, long seed)
      throws Exception {
    for (Vectors.Vector vector : streams()) {
      if (Arrays.equals(accept, accept(vector))) {
        pass(vector, passing, node, links, seed);
      }
    }
    assertThat(Patience.soon(() -> links.gateway().bufferedBytes() == 0)).isTrue();
  }

  /** All different answers to those conversations. */
  static List<byte[]> accepts() {
    return streams().stream()
        .map(v -> ByteBuffer.wrap(accept(v)))
        .distinct()
        .map(ByteBuffer::array)
        .toList();
  }

  private static void pass(
      Vectors.Vector vector, Passing passing, FakeNode node, RunningLinks links, long seed)
      throws Exception {
    Random random = new Random(seed);
    String name = vector.file() + ", seed " + seed;
    byte[] bytes = vector.bytes();
    int start = initiate(bytes).length();
    Framing chosen = vector.framing();
    Framing sent = passing.of(chosen);
    try (FakeInitiator initiator = links.connect()) {
      int cut = random.nextInt(1, start);
      initiator.send(bytes, 0, cut).send(bytes, cut, start);
      assertThat(initiator.read(12)).as(name).isEqualTo(accept(vector));
      FakeNode.Incoming link = node.next();
      assertInitiate(link.initiate(), Arrays.copyOf(bytes, start), sent);
      for (int at = start; at < bytes.length; ) {
        int to =
            Math.min(bytes.length, at + 1 + random.nextInt(random.nextBoolean() ? 40_000 : 200));
        initiator.send(bytes, at, to);
        at = to;
      }
      initiator.leave();
      byte[] there = link.bodyToEnd();
      if (sent == chosen) {
        assertThat(there).as(name).isEqualTo(Arrays.copyOfRange(bytes, start, bytes.length));
      } else {
        Decoded after = Decoded.of(sent, vector.version(), there, 0);
        Decoded before = Decoded.of(chosen, vector.version(), bytes, start);
        assertThat(after.messages()).as(name).isEqualTo(Decoded.described(vector.messages()));
        assertThat(after.plain()).as(name).isEqualTo(before.plain());
      }
    }
  }

  /** The same but for framing and CRC32. */
  static void assertInitiate(byte[] there, byte[] original, Framing framing) {
    Initiate expected = initiate(original);
    expected.setFraming(framing);
    assertThat(there).isEqualTo(original);
  }
}
