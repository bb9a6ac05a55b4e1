package sluice.gateway.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import java.nio.channels.ClosedChannelException;

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
    try {
      channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
    } catch (ChannelException e) {
      unlessClosed(channel, e);
    }
  }

  /**
   * Makes the kernel close the connection if sent bytes are not acknowledged for this long, or a
   * full peer takes nothing. No effect with {@code nio}, which has no such option.
   */
  public static void userTimeout(Channel channel, int millis) {
    try {
      if (!channel.config().setOption(EPOLL_USER_TIMEOUT, millis)) {
        channel.config().setOption(URING_USER_TIMEOUT, millis);
      }
    } catch (ChannelException e) {
      unlessClosed(channel, e);
    }
  }

  /**
   * Ignores that a socket has no options any more, because its peer has reset it: its end follows.
   */
  static void unlessClosed(Channel channel, ChannelException failure) {
    if (channel.isOpen() && !(failure.getCause() instanceof ClosedChannelException)) {
      throw failure;
    }
  }
}
