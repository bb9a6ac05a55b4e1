package sluice.gateway.internode;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.tls.TlsException;

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

  /** Each byte may become hundreds, and other links of the same iteration have used memory up. */
  @Test
  void shouldKeepUnreadWhatComesWhileMemoryIsTight() {
    MemoryShare memory = MemoryShare.of(1, 64 << 20)[0];
    EmbeddedChannel channel = new EmbeddedChannel();
    Loop loop =
        new Loop(
            channel.eventLoop(),
            new UnpooledByteBufAllocator(false),
            memory,
            new GatewayMetrics().newLoop());
    Passed passed = new Passed(loop);
    LinkSide side = LinkSide.initiator(loop, passed, IN_FLIGHT);
    passed.side = side;
    channel.pipeline().addLast(side);

    channel.writeInbound(Unpooled.copiedBuffer("a", US_ASCII));
    assertThat(passed.got).hasToString("a");
    memory.add(64 << 20);
    channel.writeInbound(Unpooled.copiedBuffer("b", US_ASCII));
    channel.writeInbound(Unpooled.copiedBuffer("cd", US_ASCII));
    assertThat(passed.got).hasToString("a");
    assertThat(side.unreadBytes()).isEqualTo(3);

    side.readAgain(LinkSide.MEMORY); // one read at a time, as long as there is no memory
    assertThat(passed.got).hasToString("ab");
    memory.add(-(64 << 20));
    side.readAgain(LinkSide.MEMORY);
    assertThat(passed.got).hasToString("abcd");
    assertThat(side.unreadBytes()).isZero();

    memory.add(64 << 20);
    channel.writeInbound(Unpooled.copiedBuffer("e", US_ASCII));
    assertThat(passed.got).hasToString("abcd");
    channel.close();
    assertThat(passed.got).as("nothing is lost when the node closes").hasToString("abcde");
    memory.add(-(64 << 20));
    channel.finishAndReleaseAll();
  }

  /** A link that writes down what it is given. */
  private static final class Passed implements LinkSide.Owner {
    private final StringBuilder got = new StringBuilder();
    private final Loop loop;
    private LinkSide side;

    Passed(Loop loop) {
      this.loop = loop;
    }

    @Override
    public void read(LinkSide from, ByteBuf bytes) {
      got.append(bytes.toString(US_ASCII));
      bytes.release();
      pauseIfTight();
    }

    @Override
    public void pauseIfTight() {
      if (loop.memory().isTight()) {
        side.stopReading(LinkSide.MEMORY);
      }
    }

    @Override
    public void account() {}

    @Override
    public LinkSide other(LinkSide of) {
      return null;
    }

    @Override
    public void flushed(LinkSide of) {}

    @Override
    public void tlsFailed(LinkSide of, TlsException failure) {}

    @Override
    public void closed(LinkSide of) {}
  }
}
