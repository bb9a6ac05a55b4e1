package sluice.perf.pingpong;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import sluice.load.traffic.LoadRun;

/**
 * One connection: sends its message, waits until all of it has come back and is what was sent, and
 * sends it again. No other connection's message is the same.
 */
final class Player extends ChannelInboundHandlerAdapter {
  private final LoadRun run;
  private final int number;
  private final int size;
  private ChannelHandlerContext context;
  private ByteBuf message;
  private int returned; // bytes of it

  Player(LoadRun run, int number, int size) {
    this.run = run;
    this.number = number;
    this.size = size;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    message = added.alloc().directBuffer(size, size);
    for (int i = 0; i < size; i++) {
      message.writeByte(i < Integer.BYTES ? number >>> (8 * i) : i);
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext removed) {
    message.release();
  }

  /** Plays until the run is over. Called on the connection's loop. */
  void play() {
    if (run.isOver()) {
      run.done();
    } else {
      send();
    }
  }

  private void send() {
    returned = 0;
    context.writeAndFlush(message.retainedDuplicate(), context.voidPromise());
  }

  @Override
  public void channelRead(ChannelHandlerContext reading, Object read) {
    ByteBuf bytes = (ByteBuf) read;
    try {
      int length = bytes.readableBytes();
      if (length > size - returned
          || !ByteBufUtil.equals(message, returned, bytes, bytes.readerIndex(), length)) {
        run.fail("connection " + number + " got other bytes back than it has sent");
        return;
      }
      returned += length;
    } finally {
      bytes.release();
    }
    if (returned == size) {
      run.completed(1);
      play();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext closed) {
    run.fail("connection " + number + " was closed");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
    run.fail("connection " + number + ": " + cause);
  }
}
