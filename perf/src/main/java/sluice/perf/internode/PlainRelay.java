package sluice.perf.internode;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.net.InetSocketAddress;
import sluice.names.build.AllowedHere;

/**
 * Relay of bytes that inspects none of them, which shows the cost of any proxy on this transport.
 * One event loop; buffers go from one socket to the other as they were read, with one flush after
 * each round of reads of a socket. If a socket takes no bytes, the other is paused. No timeouts, no
 * metrics, no limits.
 *
 * <p>Arguments: {@code HOST:PORT=HOST:PORT} for each listener and its destination. Runs until it is
 * ended.
 */
public final class PlainRelay {
  /** As the gateway's {@code limits.inFlightBytes}. */
  private static final WriteBufferWaterMark IN_FLIGHT = new WriteBufferWaterMark(2 << 20, 4 << 20);

  private PlainRelay() {}

  /** Serves. */
  @AllowedHere("a command line writes to its terminal")
  public static void main(String[] arguments) throws InterruptedException {
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    for (String argument : arguments) {
      int sign = argument.indexOf('=');
      InetSocketAddress from = InternodeLoad.address(argument.substring(0, sign));
      serve(group, from, InternodeLoad.address(argument.substring(sign + 1)));
    }
    System.out.println("ready");
    group.terminationFuture().sync();
  }

  private static void serve(EventLoopGroup group, InetSocketAddress from, InetSocketAddress to)
      throws InterruptedException {
    new ServerBootstrap()
        .group(group)
        .channel(EpollServerSocketChannel.class)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.AUTO_READ, false)
        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, IN_FLIGHT)
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel accepted) {
                join(accepted, to);
              }
            })
        .bind(from)
        .sync();
  }

  private static void join(Channel accepted, InetSocketAddress to) {
    Side initiator = new Side();
    Side acceptor = new Side();
    accepted.pipeline().addLast(initiator);
    Bootstrap bootstrap =
        new Bootstrap()
            .group(accepted.eventLoop())
            .channel(EpollSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, IN_FLIGHT)
            .handler(acceptor);
    acceptor.peer = accepted;
    bootstrap
        .connect(to)
        .addListener(
            (ChannelFutureListener)
                connected -> {
                  if (connected.isSuccess()) {
                    initiator.peer = connected.channel();
                    accepted.config().setAutoRead(true);
                  } else {
                    accepted.close();
                  }
                });
  }

  /** One of two sockets that are joined. */
  private static final class Side extends ChannelInboundHandlerAdapter {
    private Channel peer;

    // A failed write closes the channel, because of the void promise.
    @Override
    @SuppressWarnings("FutureReturnValueIgnored")
    public void channelRead(ChannelHandlerContext context, Object bytes) {
      peer.write(bytes, peer.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      peer.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      if (peer != null) {
        peer.config().setAutoRead(context.channel().isWritable());
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (peer != null) {
        peer.writeAndFlush(io.netty.buffer.Unpooled.EMPTY_BUFFER)
            .addListener(ChannelFutureListener.CLOSE);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
