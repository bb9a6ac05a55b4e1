package sluice.gateway.tls;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import sluice.gateway.net.Sockets;
import sluice.gateway.time.Clocks;

/** Connector of sockets from one event loop to servers. Belongs to that loop's thread. */
public final class Dialer {
  private final LongConsumer buffered;
  private final NetClient client;
  private final Context context;

  /**
   * @param buffered receives changes of the bytes that TLS buffers; negative: fewer
   */
  public Dialer(LongConsumer buffered, NetClient client, Context context) {
    this.buffered = buffered;
    this.client = client;
    this.context = context;
  }

  /**
   * Connects to a server.
   *
   * @param timeoutMillis for connecting and the TLS handshake together
   * @param tls null for no TLS
   * @return completes on the loop, before any application data is read; fails with the reason, also
   *     if the server has closed it by then
   */
  public Future<NetSocket> connect(
      SocketAddress address, int timeoutMillis, @Nullable TlsConnector tls) {
    long began = Clocks.nanos();
    Future<NetSocket> connected = Sockets.connect(client, context, address, timeoutMillis);
    if (tls == null) {
      return connected.compose(Dialer::open);
    }
    return connected
        .compose(
            socket -> {
              long passed = TimeUnit.NANOSECONDS.toMillis(Clocks.nanos() - began);
              return tls.secure(socket, address, buffered, Math.max(1, timeoutMillis - passed));
            })
        .compose(Dialer::open);
  }

  /**
   * Fails if the socket has closed already: a handler that is installed now would not hear of it.
   */
  private static Future<NetSocket> open(NetSocket socket) {
    return Sockets.channel(socket).isOpen()
        ? Future.succeededFuture(socket)
        : Future.failedFuture(new ClosedChannelException());
  }
}
