package sluice.gateway.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
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

  private static final class Owner implements WriteBatch.Owner {
    private final List<Throwable> broken = new ArrayList<>();

    @Override
    public void endLine(ByteBuf line) {}

    @Override
    public boolean waitsForMore(int iterations) {
      return false;
    }

    @Override
    public void flushedEarly() {}

    @Override
    public void flushed() {}

    @Override
    public void broken(Throwable cause) {
      broken.add(cause);
    }
  }

  private final Owner owner = new Owner();
  private final ScarceAllocator memory = new ScarceAllocator(true);
  private boolean mayBreak;

  @AfterEach
  void shouldBreakOnlyWhereExpected() {
    assertThat(owner.broken).hasSize(mayBreak ? 1 : 0);
  }

  @Test
  void shouldHoldLittleMoreThanTheBytesForAPeerThatDoesNotRead() throws Exception {
    Channel channel = new Channel();
    WriteBatch batch = batch(channel);
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

  @Test
  void shouldJoinSmallWritesAndKeepTheirOrderAroundALargeOne() {
    Channel channel = new Channel();
    WriteBatch batch = batch(channel);
    ByteBuf source = Unpooled.wrappedBuffer(new byte[] {1, 2, 3, 4, 5, 6});
    ByteBuf large = Unpooled.wrappedBuffer(new byte[5000]);
    batch.write(source, 0, 1);
    batch.write(source.retainedSlice(1, 1));
    batch.flush();
    batch.write(source, 2, 1);
    batch.write(large.retain());
    batch.write(source, 3, 1);
    batch.write(source, 4, 1);
    batch.flush();
    batch.write(source, 5, 1);
    batch.flush();
    assertThat(batch.bytesWritten()).isEqualTo(5006);
    List<Integer> lengths = new ArrayList<>();
    ByteBuf all = Unpooled.buffer();
    for (ByteBuf each; (each = channel.readOutbound()) != null; each.release()) {
      lengths.add(each.readableBytes());
      all.writeBytes(each);
    }
    assertThat(lengths).containsExactly(2, 1, 5000, 2, 1);
    assertThat(ByteBufUtil.getBytes(all, 0, 3)).containsExactly(1, 2, 3);
    assertThat(ByteBufUtil.getBytes(all, 5003, 3)).containsExactly(4, 5, 6);
    assertThat(source.refCnt()).isOne();
    assertThat(large.refCnt()).isOne();
  }

  @Test
  void shouldReleaseASmallWriteThatIsNeverFlushed() {
    Channel channel = new Channel();
    WriteBatch batch = batch(channel);
    ByteBuf bytes = Unpooled.wrappedBuffer(new byte[10]);
    batch.write(bytes);
    assertThat(bytes.refCnt()).isOne();
    batch.deafen();
    assertThat(bytes.refCnt()).isZero();
  }

  @Test
  void shouldNotKeepWholeBuffersForAPeerThatDoesNotRead() {
    Channel channel = new Channel();
    WriteBatch batch = batch(channel);
    channel.full = true;
    batch.write(Unpooled.wrappedBuffer(new byte[REPLY]));
    batch.flush();
    ByteBuf read = Unpooled.wrappedBuffer(new byte[64 * 1024]); // with others' replies
    batch.write(read, 0, REPLY);
    batch.flush();
    assertThat(read.refCnt()).isOne();
    assertThat(batch.pendingBytes()).isGreaterThanOrEqualTo(2 * REPLY);
    read.release();
    channel.full = false;
    channel.flush();
    channel.releaseOutbound();
  }

  @Test
  void shouldNotKeepWholeBuffersOfLongerRepliesEither() {
    Channel channel = new Channel();
    WriteBatch batch = batch(channel);
    channel.full = true;
    batch.write(Unpooled.wrappedBuffer(new byte[REPLY]));
    batch.flush();
    ByteBuf read = Unpooled.wrappedBuffer(new byte[64 * 1024]);
    batch.write(read.retainedSlice(0, 4 * 1024));
    batch.flush();
    assertThat(read.refCnt()).isOne();
    batch.write(read.retainedSlice(0, 32 * 1024)); // a copy would cost more than it saves
    batch.flush();
    assertThat(read.refCnt()).isEqualTo(2);
    channel.full = false;
    channel.flush();
    channel.releaseOutbound();
    read.release();
  }

  /** Other bytes would take the place of those that are lost. */
  @Test
  void shouldWriteNothingBehindBytesThatThereWasNoMemoryToJoin() {
    mayBreak = true;
    Channel channel = new Channel();
    WriteBatch batch = batch(channel);
    ByteBuf source = Unpooled.wrappedBuffer(new byte[] {1, 2, 3});
    batch.write(source, 0, 1);
    memory.exhausted(true);
    batch.write(source, 1, 1);
    memory.exhausted(false);
    batch.write(source, 2, 1);
    batch.flush();
    ByteBuf written = channel.readOutbound();
    assertThat(written).isNull();
    assertThat(source.refCnt()).isOne();
  }

  @Test
  void shouldReleaseWhatFollowsBytesThatThereWasNoMemoryToCopy() {
    mayBreak = true;
    Channel channel = new Channel();
    WriteBatch batch = batch(channel);
    channel.full = true;
    batch.write(Unpooled.wrappedBuffer(new byte[REPLY]));
    batch.flush();
    ByteBuf read = Unpooled.wrappedBuffer(new byte[64 * 1024]);
    batch.write(read, 0, REPLY);
    memory.exhausted(true);
    batch.write(read.retainedSlice(0, 4 * 1024));
    assertThat(read.refCnt()).isOne();
    channel.full = false;
    channel.flush();
    channel.releaseOutbound();
  }

  @Test
  void shouldEndWhenThereIsNoMemoryForALine() {
    mayBreak = true;
    WriteBatch batch = batch(new Channel());
    memory.exhausted(true);
    assertThatThrownBy(() -> batch.beginLine(REPLY)).isInstanceOf(OutOfMemoryError.class);
  }

  private WriteBatch batch(Channel channel) {
    Loop loop =
        new Loop(
            channel.eventLoop(),
            memory,
            MemoryShare.of(1, Long.MAX_VALUE)[0],
            new GatewayMetrics().newLoop());
    WriteBatch batch = new WriteBatch(owner, loop, 1 << 20);
    batch.begin(channel.pipeline().firstContext());
    return batch;
  }
}
