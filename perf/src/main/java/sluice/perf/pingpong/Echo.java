package sluice.perf.pingpong;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** Sends back what it reads, as it was read, with one flush behind each round of reads. */
final class Echo implements AutoCloseable {
  private final EventLoopGroup group;
  private final Channel listening;

  private Echo(EventLoopGroup group, Channel listening) {
    this.group = group;
    this.listening = listening;
  }

  /**
   * Listens, with one event loop.
   *
   * @param bind {@code unix:PATH}, or a port, 0 for any
   */
  static Echo listen(Transport transport, String bind) throws InterruptedException {
    boolean unix = Transport.isUnix(bind);
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.handlers());
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(group)
            .channel(transport.servers(unix))
            .childHandler(new Returns());
    if (!unix) {
      bootstrap.childOption(ChannelOption.TCP_NODELAY, true);
    }
    try {
      return new Echo(group, bootstrap.bind(transport.address(bind)).sync().channel());
    } catch (Exception e) {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      throw e;
    }
  }

  /** Where it listens, in the form that it was told. */
  String address(String bind) {
    return Transport.isUnix(bind)
        ? bind
        : String.valueOf(((InetSocketAddress) listening.localAddress()).getPort());
  }

  /** Waits until it is closed, if another thread does that. */
  void await() throws InterruptedException {
    listening.closeFuture().sync();
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  @Sharable
  private static final class Returns extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
      context.write(bytes, context.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
