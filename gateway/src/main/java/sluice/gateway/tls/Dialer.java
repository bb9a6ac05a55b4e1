package sluice.gateway.tls;

import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import sluice.gateway.net.Sockets;
import sluice.gateway.time.Clocks;

/** Connector of sockets from one event loop to servers. Belongs to that loop's thread. */
public final class Dialer {
  /** Netty's own timeouts come first: their messages say what was late. */
  private static final int GRACE_MILLIS = 50;

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
   * @param timeoutMillis for the look-up of a name, connecting and the TLS handshake together
   * @param tls null for no TLS
   * @return completes on the loop, before any application data is read; fails with the reason, also
   *     if the server has closed it by then
   */
  public Future<NetSocket> connect(
      SocketAddress address, int timeoutMillis, @Nullable TlsConnector tls) {
    long began = Clocks.nanos();
    Future<NetSocket> connected =
        Sockets.connect(client, context, address, timeoutMillis).compose(Dialer::open);
    if (tls != null) {
      connected =
          connected
              .compose(
                  socket -> {
                    long passed = TimeUnit.NANOSECONDS.toMillis(Clocks.nanos() - began);
                    long left = Math.max(1, timeoutMillis - passed);
                    return tls.secure(socket, address, buffered, left);
                  })
              .compose(Dialer::open);
    }
    return inTime(connected, address, timeoutMillis);
  }

  /**
   * Fails with a timeout unless attempt ends before that. A socket that comes later is closed.
   *
   * <p>Netty's timeout begins when the name is known. To look it up, Vert.x asks each name server
   * for several seconds.
   */
  private Future<NetSocket> inTime(
      Future<NetSocket> attempt, SocketAddress address, int timeoutMillis) {
    Promise<NetSocket> result = Promise.promise();
    ScheduledFuture<?> limit =
        Sockets.eventLoop(context)
            .schedule(
                () -> {
                  result.tryFail(
                      new TimeoutException(
                          "connection timed out after " + timeoutMillis + " ms: " + address));
                },
                (long) timeoutMillis + GRACE_MILLIS,
                TimeUnit.MILLISECONDS);
    attempt.onComplete(
        socket -> {
          limit.cancel(false);
          if (!result.tryComplete(socket)) {
            Sockets.channel(socket).close();
          }
        },
        failure -> {
          limit.cancel(false);
          result.tryFail(failure);
        });
    return result.future();
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
