package sluice.gateway.loop;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.channels.NotYetConnectedException;

/**
 * First handler of a channel until it is connected. If a peer refuses or resets the connection at
 * that moment, Netty may find the socket readable, read from it and report that it is not
 * connected. The report is redundant, because the future of the connect fails, too. Without this
 * handler it would be logged as an unhandled exception.
 */
@ChannelHandler.Sharable
final class ConnectingHandler extends ChannelInboundHandlerAdapter {
  static final ConnectingHandler INSTANCE = new ConnectingHandler();

  private ConnectingHandler() {}

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    ctx.fireChannelActive();
    ctx.pipeline().remove(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (!(cause instanceof NotYetConnectedException)) {
      ctx.fireExceptionCaught(cause);
    }
  }
}
