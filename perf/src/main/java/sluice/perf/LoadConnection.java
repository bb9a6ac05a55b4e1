package sluice.perf;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;

/** One connection of a load; everything runs on its loop. */
final class LoadConnection extends ChannelInboundHandlerAdapter {
  private final Workload workload;
  private final LoadRun run;
  private final int number;
  private final int connections;
  private Channel channel;
  private int batch;
  private int nextKey;

  /** Whether every key of this connection's share has been stored and read back. */
  private boolean prepared;

  private boolean idle = true;
  private ByteBuf expected;
  private int compared;

  LoadConnection(Workload workload, LoadRun run, int number, int connections) {
    this.workload = workload;
    this.run = run;
    this.number = number;
    this.connections = connections;
    this.batch = (int) ((long) number * workload.batches() / connections);
  }

  void channel(Channel channel) {
    this.channel = channel;
  }

  Channel channel() {
    return channel;
  }

  /** Stores this connection's share of the keys and reads each back. */
  void prepare() {
    nextKey = number;
    idle = false;
    next();
  }

  /** Sends batch after batch until the run is over. */
  void drive() {
    prepared = true;
    idle = false;
    next();
  }

  // A write that fails fires exceptionCaught: that is what the void promise is for.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void next() {
    boolean over = prepared ? run.isOver() : nextKey >= workload.keys();
    if (over) {
      idle = true;
      run.done();
      return;
    }
    compared = 0;
    ByteBuf request;
    if (prepared) {
      batch = batch + 1 == workload.batches() ? 0 : batch + 1;
      expected = workload.reply(batch);
      request = workload.request(batch);
    } else {
      expected = workload.preparationReply(nextKey);
      request = workload.preparation(nextKey);
      nextKey += connections;
    }
    channel.writeAndFlush(request, channel.voidPromise());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      judge(in);
    } finally {
      in.release();
    }
  }

  private void judge(ByteBuf in) {
    int length = in.readableBytes();
    if (idle
        || length > expected.readableBytes() - compared
        || !ByteBufUtil.equals(in, in.readerIndex(), expected, compared, length)) {
      run.fail(
          "connection "
              + number
              + " read '"
              + in.toString(StandardCharsets.ISO_8859_1)
              + "', expected '"
              + (idle
                  ? "nothing"
                  : expected.toString(
                      compared, expected.readableBytes() - compared, StandardCharsets.ISO_8859_1))
              + "'");
      return;
    }
    compared += length;
    if (compared == expected.readableBytes()) {
      if (prepared) {
        run.completed(workload.depth());
      } else {
        expected.release();
      }
      next();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (!idle) {
      run.fail("connection " + number + " was closed");
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    run.fail("connection " + number + ": " + cause);
  }
}
