package sluice.gateway.net;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.net.NetClientInternal;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.transport.Transport;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import jdk.net.ExtendedSocketOptions;

/** Joins Netty handlers to Vert.x's sockets. */
public final class Sockets {
  private static final int KEEP_IDLE_SECONDS = 60;
  private static final int KEEP_INTERVAL_SECONDS = 15;
  private static final int KEEP_COUNT = 4;
  private static final int USER_TIMEOUT_MILLIS = 120_000;
  private static final long LEAST_TAKING_MILLIS = 100;

  private Sockets() {}

  /** Puts handler before Vert.x's own, which stays the last and keeps the socket's life. */
  public static void install(NetSocket socket, ChannelHandler handler) {
    ((NetSocketInternal) socket)
        .channelHandlerContext()
        .pipeline()
        .addBefore("handler", "sluice", handler);
  }

  /**
   * Puts Netty's TLS handler and what watches it before everything that is installed later, and
   * lets it begin.
   */
  public static void installTls(NetSocket socket, ChannelHandler tls, ChannelHandler gate) {
    ((NetSocketInternal) socket)
        .channelHandlerContext()
        .pipeline()
        .addBefore("handler", "tls gate", gate)
        .addBefore("tls gate", "tls", tls);
  }

  /**
   * Has the kernel find out that the peer is gone without a word, in about two minutes: whether
   * nothing is said meanwhile, or something is and not acknowledged.
   */
  public static void keepAlive(Channel channel) {
    ChannelConfig config = channel.config();
    if (!(channel.remoteAddress() instanceof InetSocketAddress)) {
      return; // a socket of this machine: its kernel knows
    }
    config.setOption(ChannelOption.SO_KEEPALIVE, true);
    if (channel instanceof EpollSocketChannel) {
      config.setOption(EpollChannelOption.TCP_KEEPIDLE, KEEP_IDLE_SECONDS);
      config.setOption(EpollChannelOption.TCP_KEEPINTVL, KEEP_INTERVAL_SECONDS);
      config.setOption(EpollChannelOption.TCP_KEEPCNT, KEEP_COUNT);
      config.setOption(EpollChannelOption.TCP_USER_TIMEOUT, USER_TIMEOUT_MILLIS);
    } else if (channel instanceof NioSocketChannel) {
      set(config, ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_IDLE_SECONDS);
      set(config, ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_INTERVAL_SECONDS);
      set(config, ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_COUNT);
    }
  }

  /**
   * Whether the peer has made room for more in that time, although its socket may not have taken
   * anything from us meanwhile: a kernel takes megabytes at once, and asks for more when a third of
   * them has left. False where the kernel does not tell.
   */
  public static boolean isTaking(Channel channel, long millis) {
    if (!(channel instanceof EpollSocketChannel socket)) {
      return false;
    }
    // Nothing is sent to a peer that has no room: asking it for some is not sending.
    return socket.tcpInfo().lastDataSent() <= Math.max(LEAST_TAKING_MILLIS, millis);
  }

  private static void set(ChannelConfig config, SocketOption<Integer> option, int value) {
    config.setOption(NioChannelOption.of(option), value); // false where the system has none
  }

  /** Puts handler before everything that is installed later. */
  public static void installFirst(NetSocket socket, ChannelHandler handler) {
    ((NetSocketInternal) socket)
        .channelHandlerContext()
        .pipeline()
        .addBefore("handler", "first", handler);
  }

  /**
   * Closes the channel of a handler now, past Vert.x's own: what was written and not taken yet is
   * lost. TLS gets to say that it ends if the socket takes that at once.
   */
  public static void abort(ChannelHandlerContext context) {
    context.close();
    Channel channel = context.channel();
    if (channel.isOpen()) { // TLS waits for what is pending
      channel.unsafe().close(channel.unsafe().voidPromise());
    }
  }

  /** The channel under a socket. */
  public static Channel channel(NetSocket socket) {
    return ((NetSocketInternal) socket).channelHandlerContext().channel();
  }

  /** Begins a resolver on the event loop of context, over the sockets that vertx uses. */
  public static DnsNameResolverBuilder resolver(Vertx vertx, Context context) {
    Transport transport = ((VertxInternal) vertx).transport();
    return new DnsNameResolverBuilder(eventLoop(context))
        .datagramChannelFactory(transport::datagramChannel)
        .socketChannelFactory(() -> (SocketChannel) transport.channelFactory(false).newChannel());
  }

  /** The allocator that sockets' reads come from, for buffers of our own. */
  public static ByteBufAllocator allocator() {
    return ByteBufAllocator.DEFAULT;
  }

  /** The Netty event loop that a verticle's context runs on. */
  public static EventLoop eventLoop(Context context) {
    return ((ContextInternal) context).nettyEventLoop();
  }

  /** Connects on the event loop of context, whatever thread or handler asks. */
  public static Future<NetSocket> connect(
      NetClient client, Context context, SocketAddress address, int timeoutMillis) {
    Promise<NetSocket> promise = Promise.promise();
    ((NetClientInternal) client)
        .connectInternal(
            new ConnectOptions().setRemoteAddress(address).setTimeout(timeoutMillis),
            promise,
            (ContextInternal) context);
    return promise.future();
  }
}
