package sluice.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringSocketChannel;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketOption;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;

/** What the kernel is told of peers that may go without a word. */
class SocketsTest {
  private static void connected(
      IoHandlerFactory loops, Class<? extends Channel> kind, Consumer<Channel> use)
      throws Exception {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, loops);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Channel channel =
          new Bootstrap()
              .group(group)
              .channel(kind)
              .handler(new ChannelInboundHandlerAdapter())
              .connect(server.getLocalSocketAddress())
              .sync()
              .channel();
      use.accept(channel);
      channel.close().sync();
    } finally {
      group.shutdownGracefully(0, 20, TimeUnit.SECONDS).sync();
    }
  }

  private static <T> T option(Channel channel, ChannelOption<T> option) {
    return channel.config().getOption(option);
  }

  @Test
  void shouldFindPeersThatAreGoneWithEpoll() throws Exception {
    assumeThat(Epoll.isAvailable()).isTrue();
    connected(
        EpollIoHandler.newFactory(),
        EpollSocketChannel.class,
        channel -> {
          Sockets.keepAlive(channel);
          assertThat(option(channel, ChannelOption.SO_KEEPALIVE)).isTrue();
          assertThat(option(channel, EpollChannelOption.TCP_KEEPIDLE)).isEqualTo(60);
          assertThat(option(channel, EpollChannelOption.TCP_KEEPINTVL)).isEqualTo(15);
          assertThat(option(channel, EpollChannelOption.TCP_KEEPCNT)).isEqualTo(4);
          assertThat(option(channel, EpollChannelOption.TCP_USER_TIMEOUT)).isEqualTo(120_000);
          PeerLoss.userTimeout(channel, 30_000);
          assertThat(option(channel, EpollChannelOption.TCP_USER_TIMEOUT)).isEqualTo(30_000);
        });
  }

  @Test
  void shouldFindPeersThatAreGoneWithIoUring() throws Exception {
    assumeThat(IoUring.isAvailable()).isTrue();
    connected(
        IoUringIoHandler.newFactory(),
        IoUringSocketChannel.class,
        channel -> {
          Sockets.keepAlive(channel);
          assertThat(option(channel, ChannelOption.SO_KEEPALIVE)).isTrue();
          assertThat(option(channel, IoUringChannelOption.TCP_KEEPIDLE)).isEqualTo(60);
          assertThat(option(channel, IoUringChannelOption.TCP_KEEPINTVL)).isEqualTo(15);
          assertThat(option(channel, IoUringChannelOption.TCP_KEEPCNT)).isEqualTo(4);
          assertThat(option(channel, IoUringChannelOption.TCP_USER_TIMEOUT)).isEqualTo(120_000);
          PeerLoss.userTimeout(channel, 30_000);
          assertThat(option(channel, IoUringChannelOption.TCP_USER_TIMEOUT)).isEqualTo(30_000);
        });
  }

  @Test
  void shouldFindPeersThatAreGoneWithoutEpoll() throws Exception {
    connected(
        NioIoHandler.newFactory(),
        NioSocketChannel.class,
        channel -> {
          Sockets.keepAlive(channel);
          PeerLoss.userTimeout(channel, 30_000); // which it has not
          assertThat(option(channel, ChannelOption.SO_KEEPALIVE)).isTrue();
          assertThat(option(channel, extended(ExtendedSocketOptions.TCP_KEEPIDLE))).isEqualTo(60);
          assertThat(option(channel, extended(ExtendedSocketOptions.TCP_KEEPINTERVAL)))
              .isEqualTo(15);
          assertThat(option(channel, extended(ExtendedSocketOptions.TCP_KEEPCOUNT))).isEqualTo(4);
        });
  }

  /** Its peer may have reset it a moment ago, before its handlers hear of that. */
  @Test
  void shouldFindThatAClosedSocketTakesNothing() throws Exception {
    assumeThat(Epoll.isAvailable()).isTrue();
    connected(
        EpollIoHandler.newFactory(),
        EpollSocketChannel.class,
        channel -> {
          channel.close().syncUninterruptibly();
          assertThat(Sockets.isTaking(channel, 1_000)).isFalse();
        });
  }

  private static ChannelOption<Integer> extended(SocketOption<Integer> option) {
    return NioChannelOption.of(option);
  }
}
