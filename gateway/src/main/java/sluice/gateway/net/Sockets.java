package sluice.gateway.net;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.vertx.core.Closeable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.net.NetClientInternal;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.transport.Transport;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.nio.channels.ClosedChannelException;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import jdk.net.ExtendedSocketOptions;

/** Connection of Netty handlers with Vert.x's sockets. */
public final class Sockets {
  private static final int KEEP_IDLE_SECONDS = 60;
  private static final int KEEP_INTERVAL_SECONDS = 15;
  private static final int KEEP_COUNT = 4;
  private static final int USER_TIMEOUT_MILLIS = 120_000;
  private static final long LEAST_TAKING_MILLIS = 100;
  private static final String TLS = "tls";
  private static final int RELEASE_MILLIS = 10_000;

  private Sockets() {}

  /**
   * Installs handler in front of Vert.x's own, which stays the last and manages the socket's life.
   */
  public static void install(NetSocket socket, ChannelHandler handler) {
    ((NetSocketInternal) socket)
        .channelHandlerContext()
        .pipeline()
        .addBefore("handler", "sluice", handler);
  }

  /**
   * Installs Netty's TLS handler and its gate in front of everything that is installed later, and
   * starts the handshake.
   */
  public static void installTls(NetSocket socket, ChannelHandler tls, ChannelHandler gate) {
    ((NetSocketInternal) socket)
        .channelHandlerContext()
        .pipeline()
        .addBefore("handler", "tls gate", gate)
        .addBefore("tls gate", TLS, tls);
  }

  /** Whether TLS is installed on the channel. */
  public static boolean isEncrypted(Channel channel) {
    return channel.pipeline().get(TLS) != null;
  }

  /**
   * Makes the kernel detect within about two minutes that the peer vanished silently, both on an
   * idle connection and when sent bytes are not acknowledged.
   */
  public static void keepAlive(Channel channel) {
    ChannelConfig config = channel.config();
    if (!(channel.remoteAddress() instanceof InetSocketAddress)) {
      return; // a socket on this machine: the kernel knows about both ends
    }
    try {
      keepAlive(channel, config);
    } catch (ChannelException e) {
      PeerLoss.unlessClosed(channel, e);
    }
  }

  private static void keepAlive(Channel channel, ChannelConfig config) {
    config.setOption(ChannelOption.SO_KEEPALIVE, true);
    if (channel instanceof EpollSocketChannel) {
      config.setOption(EpollChannelOption.TCP_KEEPIDLE, KEEP_IDLE_SECONDS);
      config.setOption(EpollChannelOption.TCP_KEEPINTVL, KEEP_INTERVAL_SECONDS);
      config.setOption(EpollChannelOption.TCP_KEEPCNT, KEEP_COUNT);
      config.setOption(EpollChannelOption.TCP_USER_TIMEOUT, USER_TIMEOUT_MILLIS);
    } else if (channel instanceof IoUringSocketChannel) {
      config.setOption(IoUringChannelOption.TCP_KEEPIDLE, KEEP_IDLE_SECONDS);
      config.setOption(IoUringChannelOption.TCP_KEEPINTVL, KEEP_INTERVAL_SECONDS);
      config.setOption(IoUringChannelOption.TCP_KEEPCNT, KEEP_COUNT);
      config.setOption(IoUringChannelOption.TCP_USER_TIMEOUT, USER_TIMEOUT_MILLIS);
    } else if (channel instanceof NioSocketChannel) {
      set(config, ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_IDLE_SECONDS);
      set(config, ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_INTERVAL_SECONDS);
      set(config, ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_COUNT);
    }
  }

  /**
   * Whether the peer has made room for more bytes within that time. Its socket may still not have
   * taken any from this process: a kernel buffers megabytes, and asks for more when a third has
   * left. False where the kernel does not report it, and of a socket that is closed.
   */
  public static boolean isTaking(Channel channel, long millis) {
    try {
      return channel.isOpen() && hasTaken(channel, millis);
    } catch (ChannelException e) { // the peer may have reset it meanwhile
      return false;
    }
  }

  /**
   * Whether the peer has acknowledged something within that time. One that is gone does not, but
   * the same bytes are sent to it again for a while, as if it took them. False where the kernel
   * does not report it, and of a socket that is closed.
   */
  public static boolean isAcknowledging(Channel channel, long millis) {
    long limit = Math.max(LEAST_TAKING_MILLIS, millis); // peers may delay acknowledgements
    try {
      return channel.isOpen() && millisSinceAcknowledged(channel) <= limit;
    } catch (ChannelException e) { // the peer may have reset it meanwhile
      return false;
    }
  }

  private static long millisSinceAcknowledged(Channel channel) {
    if (channel instanceof EpollSocketChannel socket) {
      return socket.tcpInfo().lastAckRecv();
    }
    return channel instanceof IoUringSocketChannel socket
        ? socket.tcpInfo().lastAckRecv()
        : Long.MAX_VALUE;
  }

  private static boolean hasTaken(Channel channel, long millis) {
    long sentMillisAgo;
    if (channel instanceof EpollSocketChannel socket) {
      sentMillisAgo = socket.tcpInfo().lastDataSent();
    } else if (channel instanceof IoUringSocketChannel socket) {
      sentMillisAgo = socket.tcpInfo().lastDataSent();
    } else {
      return false;
    }
    // Nothing is sent to a peer without room; a window probe does not count as sending.
    return sentMillisAgo <= Math.max(LEAST_TAKING_MILLIS, millis);
  }

  private static void set(ChannelConfig config, SocketOption<Integer> option, int value) {
    // false where the system does not support it
    config.setOption(NioChannelOption.of(option), value);
  }

  /** Installs handler in front of everything that is installed later. */
  public static void installFirst(NetSocket socket, ChannelHandler handler) {
    ((NetSocketInternal) socket)
        .channelHandlerContext()
        .pipeline()
        .addBefore("handler", "first", handler);
  }

  /**
   * Closes the channel of a handler now, bypassing Vert.x: pending bytes are lost. TLS sends its
   * close notification if the socket takes it at once.
   */
  public static void abort(ChannelHandlerContext context) {
    context.close();
    Channel channel = context.channel();
    if (channel.isOpen()) { // TLS waits for pending bytes
      channel.unsafe().close(channel.unsafe().voidPromise());
    }
  }

  /**
   * Closes a connection of HTTP now, on its event loop: what its peer has not taken yet is lost.
   * Vert.x itself waits until the peer has taken everything, and answers it meanwhile.
   */
  public static void abort(HttpConnection connection) {
    connection.close();
    Channel channel = channel(connection);
    if (channel.isOpen()) {
      channel.unsafe().close(channel.unsafe().voidPromise());
    }
  }

  /** By reflection: a public method of the implementation, which no interface has. */
  private static Channel channel(HttpConnection connection) {
    try {
      Object channel = connection.getClass().getMethod("channel").invoke(connection);
      return (Channel) Objects.requireNonNull(channel);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("a connection of another Vert.x", e);
    }
  }

  /** The channel under a socket. */
  public static Channel channel(NetSocket socket) {
    return ((NetSocketInternal) socket).channelHandlerContext().channel();
  }

  /**
   * A builder for a resolver on the event loop of context, with sockets of the transport that vertx
   * uses.
   */
  public static DnsNameResolverBuilder resolver(Vertx vertx, Context context) {
    Transport transport = ((VertxInternal) vertx).transport();
    return new DnsNameResolverBuilder(eventLoop(context))
        .datagramChannelFactory(transport::datagramChannel)
        .socketChannelFactory(() -> (SocketChannel) transport.channelFactory(false).newChannel());
  }

  /** The allocator of sockets' read buffers, for further buffers. */
  public static ByteBufAllocator allocator() {
    return ByteBufAllocator.DEFAULT;
  }

  /** The Netty event loop that a verticle's context runs on. */
  public static EventLoop eventLoop(Context context) {
    return ((ContextInternal) context).nettyEventLoop();
  }

  /**
   * Binds a server on the event loop of context, in its thread.
   *
   * <p>A server that cannot be bound is forgotten. Vert.x would keep it until the context ends,
   * with all that its handler refers to, and an address may be tried every few seconds.
   */
  public static Future<NetServer> listen(NetServer server, Context context, SocketAddress address) {
    return server
        .listen(address)
        .onFailure(failure -> ((ContextInternal) context).removeCloseHook((Closeable) server));
  }

  /**
   * Waits until servers at some addresses, which are being closed, have released them; for ten
   * seconds at most. Vert.x would add a new server at such an address to the one that closes: the
   * new one would count as bound, but would accept no connection.
   */
  public static Future<Void> released(Vertx vertx, Collection<SocketAddress> addresses) {
    Promise<Void> released = Promise.promise();
    awaitRelease(vertx, addresses, RELEASE_MILLIS, released);
    return released.future();
  }

  private static void awaitRelease(
      Vertx vertx, Collection<SocketAddress> addresses, int leftMillis, Promise<Void> released) {
    if (leftMillis == 0 || addresses.stream().noneMatch(each -> isServed(vertx, each))) {
      released.complete();
    } else {
      vertx.setTimer(1, id -> awaitRelease(vertx, addresses, leftMillis - 1, released));
    }
  }

  private static boolean isServed(Vertx vertx, SocketAddress address) {
    String place = address.isDomainSocket() ? address.path() : address.host();
    String name = place + ":" + address.port();
    Map<?, ?> servers = ((VertxInternal) vertx).sharedTcpServers();
    synchronized (servers) { // as Vert.x does
      return servers.keySet().stream().anyMatch(server -> server.toString().equals(name));
    }
  }

  /**
   * Connects on the event loop of context, from any thread or handler.
   *
   * <p>Tries again if the channel was closed before it was connected. Netty's epoll transport knows
   * sockets by their file descriptors: an event of a socket that was just closed can close a new
   * one with the same descriptor. Nothing was sent on it.
   */
  public static Future<NetSocket> connect(
      NetClient client, Context context, SocketAddress address, int timeoutMillis) {
    return connectOnce(client, context, address, timeoutMillis)
        .recover(
            failure ->
                failure instanceof ClosedChannelException
                    ? connectOnce(client, context, address, timeoutMillis)
                    : Future.failedFuture(failure));
  }

  private static Future<NetSocket> connectOnce(
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
