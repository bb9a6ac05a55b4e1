package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;

class LinkSideTest {
  private static final int IN_FLIGHT = 1 << 20;

  /** As {@code internode_tcp_user_timeout} and {@code internode_streaming_tcp_user_timeout}. */
  @ParameterizedTest(name = "streams: {0}")
  @CsvSource({"false, 30000", "true, 300000"})
  void shouldGiveNodesAsLongAsNodesDo(boolean streams, int millis) throws Exception {
    assumeThat(Epoll.isAvailable()).isTrue();
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    try {
      Loop loop =
          new Loop(
              group.next(),
              new UnpooledByteBufAllocator(false),
              MemoryShare.of(1, 64 << 20)[0],
              new GatewayMetrics().newLoop());
      Channel channel =
          new Bootstrap()
              .group(group)
              .channel(EpollSocketChannel.class)
              .handler(LinkSide.acceptor(loop, null, IN_FLIGHT, streams))
              .register()
              .sync()
              .channel();
      assertThat(channel.config().getOption(ChannelOption.SO_KEEPALIVE)).isTrue();
      assertThat(channel.config().getOption(EpollChannelOption.TCP_USER_TIMEOUT)).isEqualTo(millis);
      channel.close().sync();
    } finally {
      group.shutdownGracefully(0, 20, TimeUnit.SECONDS).sync();
    }
  }
}
