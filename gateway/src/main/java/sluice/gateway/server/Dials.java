package sluice.gateway.server;

import io.vertx.core.Future;
import io.vertx.core.net.NetSocket;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.gateway.loop.Loop;
import sluice.gateway.net.Sockets;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.ServerTransport;
import sluice.gateway.server.connection.Slot;
import sluice.gateway.server.connection.SocketTransport;
import sluice.gateway.server.connection.Unreachable;
import sluice.gateway.server.shared.SharedServer;
import sluice.gateway.server.shared.SharerEnd;
import sluice.gateway.tls.Dialer;

/**
 * Connector of one event loop to a server. It opens a socket or, where loops share connections and
 * another loop is the owner, a pipe to that loop's connection.
 */
final class Dials {
  /** Owner of the connections: the server. */
  interface Owner extends SharerEnd.Owner {
    /**
     * A connection is about to be made: a server that was removed is swept again until the
     * connection is gone, too.
     */
    void isWanted();

    /** Creates a connection, whose handler is not installed yet. */
    ServerConnection made(int slot, ServerTransport transport);

    /** Whether no further connection is made. */
    boolean isClosed();

    /**
     * No connection could be made.
     *
     * @param reason for clients
     * @param detail for logs
     */
    void failed(int slot, String reason, String detail);
  }

  private final Owner server;
  private final Loop loop;
  private final @Nullable Dialer dialer; // null, as the address: no connection is ever made
  private final ServerSettings settings;
  private final @Nullable Shared shared; // null: connections are not shared
  private int underWay; // connection attempts of any kind

  Dials(Owner server, @Nullable Dialer dialer, ServerSettings settings, @Nullable Shared shared) {
    this.server = server;
    this.loop = server.context().loop();
    this.dialer = dialer;
    this.settings = settings;
    this.shared = shared;
  }

  /** Whether this loop has the sockets of shared connections for a slot, or of exclusive ones. */
  boolean isOwn(int slot) {
    return shared == null || loopOf(slot, shared) == shared.loop();
  }

  private static int loopOf(int slot, Shared shared) {
    SharedServer server = shared.server();
    return Slot.isExclusive(slot) ? server.exclusiveOwner() : server.ownerOf(shared.loop());
  }

  /** Whether a socket is being connected. */
  boolean areUnderWay() {
    return underWay > 0;
  }

  /** Makes a connection; the server gets the result. */
  void open(int slot) {
    server.isWanted();
    if (shared == null || isOwn(slot)) {
      connect(slot);
    } else {
      ask(slot, shared);
    }
  }

  private void connect(int slot) {
    server.context().reports().connects();
    underWay++;
    socket()
        .onComplete(
            socket -> {
              loop.tick(); // otherwise earlier time would count against the probe
              underWay--;
              // a reset: the close handler follows, and logs it
              socket.exceptionHandler(failure -> {});
              Sockets.keepAlive(Sockets.channel(socket));
              ServerConnection connection =
                  server.made(slot, new SocketTransport(server.context().reports()));
              Sockets.install(socket, connection);
              if (server.isClosed()) {
                connection.fail("closing");
              }
            },
            failure -> {
              underWay--;
              server.failed(
                  slot,
                  server.context().unreachable(Unreachable.words(failure)),
                  server.context().unreachable(Unreachable.detail(failure)));
            });
  }

  @SuppressWarnings("NullAway") // a server without an address is never to be connected to
  private Future<NetSocket> socket() {
    int timeoutMillis = (int) TimeUnit.NANOSECONDS.toMillis(settings.connectTimeoutNanos());
    return dialer.connect(settings.address(), timeoutMillis, settings.tls());
  }

  private void ask(int slot, Shared shared) {
    int at = loopOf(slot, shared);
    SharerEnd end = new SharerEnd(server, slot, shared.mailboxes(), at);
    shared.mailboxes().send(at, () -> shared.server().with(at, owner -> owner.takeIn(end)));
  }
}
