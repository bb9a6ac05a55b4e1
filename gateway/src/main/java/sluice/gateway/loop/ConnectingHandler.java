package sluice.gateway.loop;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.channels.NotYetConnectedException;

/**
 * The first handler of a channel that is being connected, until it is. When a peer refuses or
 * resets the connection in that moment, Netty may find the socket readable, read from it and report
 * that it is not connected. That says nothing new: the future of the connect fails, too. Without
 * this, the report would be logged as an exception that nobody handles.
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
