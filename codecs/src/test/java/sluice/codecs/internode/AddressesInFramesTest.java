package sluice.codecs.internode;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.codecs.internode.address.AddressMap;
import sluice.codecs.internode.address.MessageRewriter;
import sluice.codecs.internode.address.Rewritten;

/** Recorded streams whose addresses are replaced on their way, whatever they are framed in. */
class AddressesInFramesTest {
  private static List<Vectors.Vector> streams() {
    return Vectors.intact();
  }

  @ParameterizedTest
  @MethodSource("streams")
  void shouldReplaceInEveryFramingWhatIsReplacedInMessages(Vectors.Vector vector) {
    byte[] bytes = vector.bytes();
    byte[] frames = ReframerTest.tail(bytes, ReframerTest.start(bytes));
    int version = vector.version();
    List<byte[]> messages = RecordedMessages.messages(vector.framing(), version, frames);
    for (AddressMap map : List.of(Rewritten.IPV4, Rewritten.IPV6)) {
      List<byte[]> expected =
          messages.stream().map(message -> Rewritten.message(map, version, message)).toList();
      for (Framing to : Framing.values()) {
        byte[] there = replace(map, vector.framing(), to, version, frames);
        assertThat(RecordedMessages.messages(to, version, there))
            .containsExactlyElementsOf(expected);
        byte[] back = replace(map.inverse(), to, vector.framing(), version, there);
        assertThat(RecordedMessages.messages(vector.framing(), version, back))
            .containsExactlyElementsOf(messages);
      }
    }
  }

  private static byte[] replace(
      AddressMap map, Framing from, Framing to, int version, byte[] frames) {
    MessageRewriter rewriter = new MessageRewriter(map, version);
    try (Collected c = Collected.replacing(from, to, version, header -> true, rewriter)) {
      byte[] there = c.read(frames, 0, 1460).out();
      assertThat(rewriter.unparsed()).isZero();
      assertThat(c.reframer.heldBytes()).isZero();
      return there;
    }
  }
}
