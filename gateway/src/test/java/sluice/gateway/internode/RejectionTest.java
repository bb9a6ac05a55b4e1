package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Vectors;

/** Messages that a rule takes out of what nodes once said to each other. */
class RejectionTest {
  private static final List<String> TAKEN_OUT =
      List.of("MUTATION_REQ", "ECHO_REQ", "READ_RSP", "GOSSIP_DIGEST_ACK");

  @ParameterizedTest
  @EnumSource(LinkTest.Passing.class)
  void shouldTakeMessagesOutOfFramesAndOutOfLargeMessages(LinkTest.Passing passing)
      throws Exception {
    long seed = System.nanoTime();
    String pool = "framing: " + passing.name().toLowerCase(Locale.ROOT);
    String rules =
        "{match: {verbs: [" + String.join(", ", TAKEN_OUT) + "]}, reject: not from here}, ";
    int takenOut = 0;
    for (Vectors.Vector vector : streams()) {
      try (FakeNode node = FakeNode.answering(LinkTest.accept(vector));
          RunningLinks links = RunningLinks.before(node.address(), pool, "handshake: 5s", rules)) {
        takenOut += pass(vector, passing.of(vector.framing()), node, links, seed);
      }
    }
    assertThat(takenOut).isGreaterThan(100);
  }

  private static List<Vectors.Vector> streams() {
    return List.of(
        Vectors.named("stream/v12-crc-large-a2b.c2s.bin"),
        Vectors.named("stream/v12-crc-small-a2b.c2s.bin"),
        Vectors.named("stream/v12-crc-urgent-b2a.c2s.bin"),
        Vectors.named("stream/v12-lz4-large-a2b.c2s.bin"),
        Vectors.named("stream/v12-lz4-small-a2b.c2s.bin"),
        Vectors.named("stream/v13-lz4-urgent-b2a.c2s.bin"),
        Vectors.named("stream/v14-crc-large-b2a.c2s.bin"));
  }

  private static int pass(
      Vectors.Vector vector, Framing sent, FakeNode node, RunningLinks links, long seed)
      throws Exception {
    byte[] bytes = vector.bytes();
    int start = LinkTest.initiate(bytes).length();
    Random random = new Random(seed);
    String name = vector.file() + " as " + sent + ", seed " + seed;
    List<String> all = Decoded.described(vector.messages());
    List<String> left = all.stream().filter(m -> !isTakenOut(m)).toList();
    try (FakeInitiator initiator = links.connect()) {
      initiator.send(bytes, 0, start).read(12);
      for (int at = start; at < bytes.length; ) {
        int to = Math.min(bytes.length, at + 1 + random.nextInt(40_000));
        initiator.send(bytes, at, to);
        at = to;
      }
    }
    byte[] there = node.next().bodyToEnd();
    Decoded decoded = Decoded.of(sent, vector.version(), there, 0);
    assertThat(decoded.messages()).as(name).isEqualTo(left);
    if (left.equals(all) && sent == vector.framing()) {
      assertThat(there).as(name).isEqualTo(Arrays.copyOfRange(bytes, start, bytes.length));
    }
    double counted =
        TAKEN_OUT.stream()
            .mapToDouble(
                verb ->
                    links.metric(
                        "sluice_internode_rejected_messages_total{listener=\"ring\",verb=\""
                            + verb
                            + "\"}"))
            .sum();
    assertThat(counted).as(name).isEqualTo(all.size() - left.size());
    return all.size() - left.size();
  }

  private static boolean isTakenOut(String message) {
    return TAKEN_OUT.contains(message.split(" ", -1)[1]);
  }
}
