package sluice.codecs.ignite;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.codecs.ignite.IgniteVectors.Encoded;
import sluice.codecs.ignite.IgniteVectors.Step;

class ResponseEncoderTest {
  private final ResponseEncoder encoder = new ResponseEncoder();

  static List<Encoded> encoded() {
    return IgniteVectors.encoded();
  }

  static List<Step> answered() {
    return IgniteVectors.steps().stream().filter(s -> s.response().length > 0).toList();
  }

  /** Key and value follow a head unchanged. */
  @ParameterizedTest
  @MethodSource("encoded")
  void shouldWriteTheHeadsOfIgnitesParser(Encoded vector) {
    assertThat(rewritten(vector.packet())).isEqualTo(vector.packet());
  }

  @ParameterizedTest
  @MethodSource("answered")
  void shouldWriteTheHeadsOfANodesAnswers(Step step) {
    assertThat(rewritten(step.response())).isEqualTo(step.response());
  }

  private byte[] rewritten(byte[] packets) {
    ByteBuf in = Unpooled.wrappedBuffer(packets);
    ByteBuf out = Unpooled.buffer();
    IgniteResponse view = new IgniteResponse();
    for (int at = 0; at < packets.length; at += view.length()) {
      view.wrap(in, at);
      int headStart = out.writerIndex();
      encoder.head(
          out,
          view.opcode(),
          view.status(),
          view.opaque(),
          view.flags(),
          view.keyLength(),
          view.valueLength());
      assertThat(out.writerIndex() - headStart)
          .isEqualTo(ResponseEncoder.headLength(view.opcode()))
          .isEqualTo(view.keyIndex() - at);
      out.writeBytes(in, view.keyIndex(), view.keyLength());
      out.writeBytes(in, view.valueIndex(), view.valueLength());
    }
    return ByteBufUtil.getBytes(out);
  }
}
