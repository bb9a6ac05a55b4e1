package sluice.codecs.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.buffer.Slices;

class FrameTest {
  private static List<Vectors.Vector> intact() {
    return Vectors.intact();
  }

  @ParameterizedTest
  @MethodSource("intact")
  void shouldReadEveryHeaderWhereverItIsCutAndWriteTheSame(Vectors.Vector vector) {
    ByteBuf in = Unpooled.wrappedBuffer(vector.bytes());
    Framing framing = vector.framing();
    Frame frame = new Frame(framing);
    Frame cutFrame = new Frame(framing);
    FrameCrc32 crc = new FrameCrc32();
    List<List<Object>> frames = new ArrayList<>();
    int at = new Initiate().wrap(in, 0).length();
    while (at < in.readableBytes()) {
      frame.wrap(in, at);
      frames.add(List.of(frame.plainLength(), frame.isSelfContained()));
      int payload = at + framing.headerLength();
      if (framing.trailerLength() > 0) {
        assertThat(crc.of(in, payload, frame.payloadLength()))
            .isEqualTo(in.getIntLE(payload + frame.payloadLength()));
      }
      ByteBuf header = Unpooled.buffer().writeZero(framing.headerLength());
      Frame.setHeader(
          header,
          0,
          framing,
          frame.payloadLength(),
          frame.isCompressed() ? frame.plainLength() : 0,
          frame.isSelfContained());
      assertThat(header).isEqualTo(in.slice(at, framing.headerLength()));
      SliceList queue = new SliceList(new Slices());
      int cut = 1 + at % (framing.headerLength() - 1);
      queue.addRead(in.retainedSlice(at, cut));
      queue.addRead(in.retainedSlice(at + cut, framing.headerLength() - cut));
      cutFrame.wrap(queue, 0);
      assertThat(cutFrame.length()).isEqualTo(frame.length());
      assertThat(cutFrame.plainLength()).isEqualTo(frame.plainLength());
      assertThat(cutFrame.isSelfContained()).isEqualTo(frame.isSelfContained());
      queue.clear();
      at += frame.length();
    }
    assertThat(at).isEqualTo(in.readableBytes());
    assertThat(frames).isEqualTo(vector.frames());
  }
}
