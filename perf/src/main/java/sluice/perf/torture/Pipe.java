package sluice.perf.torture;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** Stands between clients and the gateway: adds TLS, or what a {@link WrongProxy} does. */
final class Pipe {
  /** What is put into each connection. */
  interface Contents {
    /** Adds handlers to both sides of a connection, before those that pass on. */
    void add(Channel client, Channel gateway);
  }

  private static final int NO_CUT = -1;

  private final EventLoop loop;
  private final Channel listening;
  private int cut = NO_CUT; // the loop's

  /** Listens on any port and connects to the gateway's. */
  Pipe(EventLoop loop, int gatewayPort, Contents contents) throws Exception {
    this.loop = loop;
    var bound =
        new ServerBootstrap()
            .group(loop)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 1024)
            .childOption(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel client) {
                    connect(loop, client, gatewayPort, contents);
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0);
    bound.get(10, TimeUnit.SECONDS);
    listening = bound.channel();
  }

  /** One that speaks TLS to the gateway. */
  static Pipe tls(EventLoop loop, int gatewayPort, SslContext trust) throws Exception {
    return new Pipe(
        loop,
        gatewayPort,
        (client, gateway) ->
            gateway
                .pipeline()
                .addLast(trust.newHandler(gateway.alloc(), "127.0.0.1", gatewayPort)));
  }

  /** Ends the next connection that has carried this many more bytes to the gateway. */
  void cutBehind(int bytes) {
    loop.execute(() -> cut = bytes);
  }

  private int beforeCut(int count) {
    if (cut == NO_CUT) {
      return count;
    }
    int before = Math.min(cut, count);
    cut = Math.max(cut - count, NO_CUT);
    return before;
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listening.localAddress();
  }

  private void connect(EventLoop loop, Channel client, int port, Contents contents) {
    new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .option(ChannelOption.AUTO_READ, false)
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel gateway) {
                contents.add(client, gateway);
                client.pipeline().addLast(new Side(gateway, true));
                gateway.pipeline().addLast(new Side(client, false));
              }
            })
        .connect(InetAddress.getLoopbackAddress(), port)
        .addListener(
            (ChannelFutureListener)
                done -> {
                  if (done.isSuccess()) {
                    client.config().setAutoRead(true);
                    done.channel().config().setAutoRead(true);
                  } else {
                    client.close();
                  }
                });
  }

  /** Passes what one side reads to the other. */
  private final class Side extends ChannelInboundHandlerAdapter {
    private final Channel other;
    private final boolean requests;

    Side(Channel other, boolean requests) {
      this.other = other;
      this.requests = requests;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      int count = bytes.readableBytes();
      int passed = requests ? beforeCut(count) : count;
      bytes.writerIndex(bytes.readerIndex() + passed);
      other.writeAndFlush(bytes);
      if (passed < count) {
        context.close();
      }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      other.config().setAutoRead(context.channel().isWritable());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      // If neither side reads, the gateway does not take what is left of the requests, and the end
      // of the connection never reaches it.
      other.config().setAutoRead(true);
      other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close(); // reset, or refused: the other side learns it by its end
    }
  }
}
