package sluice.gateway.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.net.NetClientInternal;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.lang.reflect.Proxy;
import java.util.function.BiConsumer;
import sluice.gateway.loop.Loop;
import sluice.gateway.tls.Dialer;

/** Dialer of a test, which decides what becomes of each attempt to connect. */
public final class EmbeddedDialer {
  private EmbeddedDialer() {}

  /**
   * An ordinary dialer of a loop, without a network below it.
   *
   * @param attempts receives each attempt: the address, and the promise to complete
   */
  public static Dialer of(Loop loop, BiConsumer<SocketAddress, Promise<NetSocket>> attempts) {
    Object client =
        Proxy.newProxyInstance(
            EmbeddedDialer.class.getClassLoader(),
            new Class<?>[] {NetClientInternal.class},
            (self, method, arguments) -> {
              if (!method.getName().equals("connectInternal")) {
                throw new UnsupportedOperationException(method.getName());
              }
              @SuppressWarnings("unchecked")
              Promise<NetSocket> promise = (Promise<NetSocket>) arguments[1];
              SocketAddress address = ((ConnectOptions) arguments[0]).getRemoteAddress();
              // like a kernel, never before the caller has returned
              loop.eventLoop().execute(() -> attempts.accept(address, promise));
              return null;
            });
    return new Dialer(loop::buffered, (NetClient) client, context(loop));
  }

  /** The context of an event loop, of which a dialer knows nothing but the loop. */
  private static Context context(Loop loop) {
    return (Context)
        Proxy.newProxyInstance(
            EmbeddedDialer.class.getClassLoader(),
            new Class<?>[] {ContextInternal.class},
            (self, method, arguments) -> {
              if (!method.getName().equals("nettyEventLoop")) {
                throw new UnsupportedOperationException(method.getName());
              }
              return loop.eventLoop();
            });
  }

  /**
   * A socket that has nothing but a channel.
   *
   * @param channel has a handler with the name {@code handler}, as Vert.x's sockets have
   */
  public static NetSocket socket(EmbeddedChannel channel) {
    ChannelHandlerContext context = channel.pipeline().context("handler");
    return (NetSocket)
        Proxy.newProxyInstance(
            EmbeddedDialer.class.getClassLoader(),
            new Class<?>[] {NetSocketInternal.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "channelHandlerContext" -> context;
                  case "exceptionHandler", "shutdownHandler" -> self;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
