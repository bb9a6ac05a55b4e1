package sluice.gateway.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;

/** Detection of peers that vanished silently, by TCP's keepalive and user timeout. */
public final class PeerLoss {
  // Looked up by name: their classes are available on some machines only.
  private static final ChannelOption<Integer> EPOLL_USER_TIMEOUT =
      ChannelOption.valueOf("io.netty.channel.epoll.EpollChannelOption#TCP_USER_TIMEOUT");

  private static final ChannelOption<Integer> URING_USER_TIMEOUT =
      ChannelOption.valueOf("io.netty.channel.uring.IoUringChannelOption#TCP_USER_TIMEOUT");

  private PeerLoss() {}

  /** Makes the kernel probe an idle peer, with its own settings. No effect on Unix sockets. */
  public static void probe(Channel channel) {
    channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
  }

  /**
   * Makes the kernel close the connection if sent bytes are not acknowledged for this long, or a
   * full peer takes nothing. No effect with {@code nio}, which has no such option.
   */
  public static void userTimeout(Channel channel, int millis) {
    if (!channel.config().setOption(EPOLL_USER_TIMEOUT, millis)) {
      channel.config().setOption(URING_USER_TIMEOUT, millis);
    }
  }
}
