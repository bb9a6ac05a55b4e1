package sluice.gateway.tls;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import sluice.gateway.loop.Loop;
import sluice.gateway.net.Sockets;

/** Opens sockets to servers from one event loop. Belongs to that loop's thread. */
public final class Dialer {
  private final Loop loop;
  private final NetClient client;
  private final Context context;

  public Dialer(Loop loop, NetClient client, Context context) {
    this.loop = loop;
    this.client = client;
    this.context = context;
  }

  /**
   * Connects to a server.
   *
   * @param timeoutMillis for all of it
   * @param tls null for plain bytes
   * @return completes on the loop, before anything is read that is not of TLS; fails with what is
   *     wrong
   */
  public Future<NetSocket> connect(SocketAddress address, int timeoutMillis, TlsConnector tls) {
    long began = System.nanoTime();
    Future<NetSocket> connected = Sockets.connect(client, context, address, timeoutMillis);
    if (tls == null) {
      return connected;
    }
    return connected.compose(
        socket -> {
          long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
          return tls.secure(socket, address, loop, Math.max(1, timeoutMillis - passed));
        });
  }
}
