package sluice.gateway.server;

import java.util.concurrent.TimeUnit;
import sluice.gateway.loop.Loop;
import sluice.gateway.net.Sockets;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.ServerTransport;
import sluice.gateway.server.connection.Slot;
import sluice.gateway.server.connection.SocketTransport;
import sluice.gateway.server.connection.Unreachable;
import sluice.gateway.server.shared.GuestEnd;
import sluice.gateway.server.shared.SharedServer;
import sluice.gateway.server.shared.Sharing;
import sluice.gateway.tls.Dialer;

/**
 * Makes one event loop's connections to a server: with a socket, or, where loops share connections
 * and another is the host, with a pipe to that loop's.
 */
final class Dials {
  /** The server. */
  interface Owner extends GuestEnd.Owner {
    /** A connection is about to be made: what has left is swept again until that is gone too. */
    void isWanted();

    /** A connection, whose handler is yet to be put on what it writes to. */
    ServerConnection made(int slot, ServerTransport transport);

    /** Whether no other connection is made. */
    boolean isClosed();

    /**
     * No connection came of it.
     *
     * @param reason as clients are told
     * @param detail as people are told
     */
    void failed(int slot, String reason, String detail);
  }

  private final Owner server;
  private final Loop loop;
  private final Dialer dialer;
  private final ServerSettings settings;
  private final Sharing sharing; // null, as the next: nothing is shared
  private final SharedServer shared;
  private int underWay; // of any kind

  Dials(
      Owner server, Dialer dialer, ServerSettings settings, Sharing sharing, SharedServer shared) {
    this.server = server;
    this.loop = server.context().loop();
    this.dialer = dialer;
    this.settings = settings;
    this.sharing = sharing;
    this.shared = shared;
  }

  /** Whether this loop has the sockets of connections for a slot, or of those to be lent. */
  boolean isOwn(int slot) {
    return shared == null || loopOf(slot) == sharing.index();
  }

  private int loopOf(int slot) {
    return Slot.isToLend(slot) ? shared.lender() : shared.hostOf(sharing.index());
  }

  /** Whether a socket is being connected. */
  boolean areUnderWay() {
    return underWay > 0;
  }

  /** Makes a connection; the server is told what comes of it. */
  void open(int slot) {
    server.isWanted();
    if (isOwn(slot)) {
      connect(slot);
    } else {
      ask(slot);
    }
  }

  private void connect(int slot) {
    server.context().reports().connects();
    underWay++;
    int timeoutMillis = (int) TimeUnit.NANOSECONDS.toMillis(settings.connectTimeoutNanos());
    dialer
        .connect(settings.address(), timeoutMillis, settings.tls())
        .onComplete(
            socket -> {
              loop.tick(); // or what went before counts against the probe
              underWay--;
              socket.exceptionHandler(failure -> {}); // a reset: its close follows, and is logged
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

  private void ask(int slot) {
    int at = loopOf(slot);
    GuestEnd end = new GuestEnd(server, slot, sharing, at);
    sharing.send(at, () -> shared.with(at, host -> host.takeIn(end)));
  }
}
