package sluice.gateway.net;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.net.NetClientInternal;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;

/** Joins Netty handlers to Vert.x's sockets. */
public final class Sockets {
  /**
   * Its slices are recycled: one of Netty's default, the adaptive allocator, is a new object of 40
   * bytes. Few buffers are kept per thread, and none of a read's size: Netty takes the oldest of
   * those it keeps, which the processor's cache has forgotten.
   */
  private static final ByteBufAllocator POOLED =
      new PooledByteBufAllocator(
          true,
          0, // no heap buffers
          PooledByteBufAllocator.defaultNumDirectArena(),
          PooledByteBufAllocator.defaultPageSize(),
          PooledByteBufAllocator.defaultMaxOrder(),
          16, // small buffers of a size
          0,
          true);

  private Sockets() {}

  /**
   * Puts handler before Vert.x's own, which stays the last and keeps the socket's life. Reads are
   * into buffers of {@link #allocator} from now on.
   */
  public static void install(NetSocket socket, ChannelHandler handler) {
    Channel channel = channel(socket);
    channel.config().setAllocator(allocator());
    channel.pipeline().addBefore("handler", "sluice", handler);
  }

  /** The channel under a socket. */
  public static Channel channel(NetSocket socket) {
    return ((NetSocketInternal) socket).channelHandlerContext().channel();
  }

  /** The allocator that sockets' reads come from, for buffers of our own. */
  public static ByteBufAllocator allocator() {
    return POOLED;
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
