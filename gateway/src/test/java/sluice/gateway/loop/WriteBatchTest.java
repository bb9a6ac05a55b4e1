package sluice.gateway.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;
import sluice.gateway.metrics.GatewayMetrics;

class WriteBatchTest {
  private static final int REPLY = 100;
  private static final int REPLIES = 1000;

  /** A channel whose peer does not read, once the socket is full. */
  private static final class Channel extends EmbeddedChannel {
    private boolean full;

    Channel() {
      super(new ChannelInboundHandlerAdapter());
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
      if (!full) {
        super.doWrite(in);
      }
    }

    /** Bytes of memory in the buffers that wait for the socket. */
    long memory() throws Exception {
      long[] sum = new long[1];
      unsafe()
          .outboundBuffer()
          .forEachFlushedMessage(
              message -> {
                sum[0] += ((ByteBuf) message).capacity();
                return true;
              });
      return sum[0];
    }
  }

  private static final WriteBatch.Owner OWNER =
      new WriteBatch.Owner() {
        @Override
        public void endLine(ByteBuf line) {}

        @Override
        public boolean waitsForMore(int iterations) {
          return false;
        }

        @Override
        public void flushed() {}

        @Override
        public void broken(Throwable cause) {
          throw new AssertionError(cause);
        }
      };

  @Test
  void shouldHoldLittleMoreThanTheBytesForAPeerThatDoesNotRead() throws Exception {
    Channel channel = new Channel();
    Loop loop =
        new Loop(
            channel.eventLoop(),
            new UnpooledByteBufAllocator(false),
            MemoryShare.of(1, Long.MAX_VALUE)[0],
            new GatewayMetrics().newLoop());
    WriteBatch batch = new WriteBatch(OWNER, loop, 1 << 20);
    batch.begin(channel.pipeline().firstContext());
    channel.full = true;
    ByteBuf reply = Unpooled.wrappedBuffer(new byte[REPLY]);
    for (int i = 0; i < REPLIES; i++) { // each in an iteration of its own
      batch.flushInThisIteration();
      batch.write(reply, 0, REPLY);
      batch.flush();
    }
    assertThat(channel.memory()).isBetween((long) REPLY * REPLIES, 2L * REPLY * REPLIES);
    channel.full = false;
    channel.flush();
    int received = 0;
    for (ByteBuf each; (each = channel.readOutbound()) != null; each.release()) {
      received += each.readableBytes();
    }
    assertThat(received).isEqualTo(REPLY * REPLIES);
    reply.release();
  }
}
