package sluice.gateway.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;

/**
 * How a socket learns that its peer is gone without a word: by TCP's keepalive and user timeout.
 */
public final class PeerLoss {
  // By their names: the classes that have them are there on some machines only.
  private static final ChannelOption<Integer> EPOLL_USER_TIMEOUT =
      ChannelOption.valueOf("io.netty.channel.epoll.EpollChannelOption#TCP_USER_TIMEOUT");

  private static final ChannelOption<Integer> URING_USER_TIMEOUT =
      ChannelOption.valueOf("io.netty.channel.uring.IoUringChannelOption#TCP_USER_TIMEOUT");

  private PeerLoss() {}

  /** Has the kernel probe an idle peer, as often as it is set up to. Nothing on Unix sockets. */
  public static void probe(Channel channel) {
    channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
  }

  /**
   * Has the kernel close the connection if what was sent is not acknowledged for so long, or a full
   * peer takes nothing. Nothing with {@code nio}, which has no such option.
   */
  public static void userTimeout(Channel channel, int millis) {
    if (!channel.config().setOption(EPOLL_USER_TIMEOUT, millis)) {
      channel.config().setOption(URING_USER_TIMEOUT, millis);
    }
  }
}
