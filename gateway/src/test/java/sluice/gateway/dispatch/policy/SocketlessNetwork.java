package sluice.gateway.dispatch.policy;

import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.Promise;
import io.vertx.core.internal.net.NetClientInternal;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;
import sluice.gateway.loop.Loop;
import sluice.gateway.tls.Dialer;

/**
 * Servers without sockets, by their hosts: each is a {@link SocketlessServer}, which a test speaks
 * for. What connects to them is an ordinary dialer.
 */
final class SocketlessNetwork {
  private final Map<String, SocketlessServer> servers = new LinkedHashMap<>();

  /** The server of a host; created by the first call. */
  SocketlessServer server(String host) {
    return servers.computeIfAbsent(host, SocketlessServer::new);
  }

  /** Runs what is due on the servers' connections; whether there was anything. */
  boolean runTasks() {
    boolean ran = false;
    for (SocketlessServer server : servers.values()) {
      ran |= server.runTasks();
    }
    return ran;
  }

  /** Closes all connections. */
  void close() {
    servers.values().forEach(SocketlessServer::finish);
  }

  /** What connects to the servers from a loop. */
  Dialer dialer(Loop loop) {
    Object client =
        Proxy.newProxyInstance(
            SocketlessNetwork.class.getClassLoader(),
            new Class<?>[] {NetClientInternal.class},
            (self, method, arguments) -> {
              if (!method.getName().equals("connectInternal")) {
                throw new UnsupportedOperationException(method.getName());
              }
              @SuppressWarnings("unchecked")
              Promise<NetSocket> promise = (Promise<NetSocket>) arguments[1];
              SocketlessServer server =
                  server(((ConnectOptions) arguments[0]).getRemoteAddress().host());
              // As a kernel: never before the caller has returned.
              loop.eventLoop().execute(() -> server.connect(promise));
              return null;
            });
    return new Dialer(loop::buffered, (NetClient) client, null);
  }

  /** A socket that has nothing but a channel, with the last handler that Vert.x would put there. */
  static NetSocket socket(EmbeddedChannel channel) {
    return (NetSocket)
        Proxy.newProxyInstance(
            SocketlessNetwork.class.getClassLoader(),
            new Class<?>[] {NetSocketInternal.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "channelHandlerContext" -> channel.pipeline().context("handler");
                  case "exceptionHandler" -> self;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
