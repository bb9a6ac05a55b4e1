package sluice.perf.pingpong;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringDomainSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerDomainSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How sockets are driven, as {@code process.transport} names it. */
enum Transport {
  NIO,
  EPOLL,
  IO_URING;

  private static final String UNIX = "unix:";

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Why there is none on this machine; null if there is one. */
  @Nullable String reasonAgainst() {
    @Nullable Throwable cause =
        switch (this) {
          case NIO -> null;
          case EPOLL -> Epoll.unavailabilityCause();
          case IO_URING -> IoUring.unavailabilityCause();
        };
    if (cause == null) {
      return null;
    }
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.toString();
  }

  IoHandlerFactory handlers() {
    return switch (this) {
      case NIO -> NioIoHandler.newFactory();
      case EPOLL -> EpollIoHandler.newFactory();
      case IO_URING -> IoUringIoHandler.newFactory();
    };
  }

  Class<? extends ServerChannel> servers(boolean unix) {
    return switch (this) {
      case NIO -> unix ? NioServerDomainSocketChannel.class : NioServerSocketChannel.class;
      case EPOLL -> unix ? EpollServerDomainSocketChannel.class : EpollServerSocketChannel.class;
      case IO_URING ->
          unix ? IoUringServerDomainSocketChannel.class : IoUringServerSocketChannel.class;
    };
  }

  Class<? extends Channel> clients(boolean unix) {
    return switch (this) {
      case NIO -> unix ? NioDomainSocketChannel.class : NioSocketChannel.class;
      case EPOLL -> unix ? EpollDomainSocketChannel.class : EpollSocketChannel.class;
      case IO_URING -> unix ? IoUringDomainSocketChannel.class : IoUringSocketChannel.class;
    };
  }

  static boolean isUnix(String address) {
    return address.startsWith(UNIX);
  }

  /** What is written {@code unix:PATH}, or a port of the loopback address. */
  SocketAddress address(String text) {
    if (!isUnix(text)) {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(text));
    }
    String path = text.substring(UNIX.length());
    return this == NIO ? UnixDomainSocketAddress.of(path) : new DomainSocketAddress(path);
  }
}
