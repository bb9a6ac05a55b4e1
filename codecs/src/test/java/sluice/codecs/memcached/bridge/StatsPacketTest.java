package sluice.codecs.memcached.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import sluice.codecs.memcached.binary.BinaryHeader;

/** The end of statistics, as binary clients get it. */
class StatsPacketTest {
  /** A header that announced a value would take the next reply for it. */
  @Test
  void shouldAnnounceNoValueInTheLastPacket() {
    Request request = new Request();
    request.operation = Operation.STATS;
    Awaited awaited = new Awaited();
    awaited.remember(request);
    ByteBuf value = Unpooled.copiedBuffer(new byte[] {1, 2, 3});
    Reply reply = new Reply().clear(Status.OK);
    reply.text.set(value, 0, value.writerIndex());
    ByteBuf out = Unpooled.buffer();
    BinaryReplyWriter.INSTANCE.write(reply, awaited, out);
    assertThat(out.readableBytes()).isEqualTo(BinaryHeader.LENGTH);
    assertThat(out.getInt(8)).as("length of the body").isZero();
  }
}
