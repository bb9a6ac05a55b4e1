package sluice.gateway.client;

import org.jspecify.annotations.Nullable;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;

/**
 * Server connection that one client uses exclusively until its request is answered, or for good.
 */
final class ExclusiveConnection {
  @SuppressWarnings("NullAway.Init") // begin sets it, which comes first
  private Server server;

  private @Nullable ServerConnection connection;
  private boolean keeps;

  /** Begins a request to a server. */
  void begin(Server of, boolean forGood) {
    server = of;
    keeps = forGood;
  }

  Server server() {
    return server;
  }

  /** Sets the acquired connection. */
  void acquire(ServerConnection acquired) {
    connection = acquired;
    if (keeps) {
      server.detach(acquired);
    }
  }

  /** The connection; null while it has none. */
  @Nullable ServerConnection get() {
    return connection;
  }

  /** The connection, while it has one. */
  @SuppressWarnings("NullAway") // only what is being sent on it needs it
  ServerConnection acquired() {
    return connection;
  }

  /** Whether it has a connection, which is open. */
  boolean isOpen() {
    return connection != null && connection.isOpen();
  }

  /** Whether it has an open connection that has not taken all written bytes. */
  boolean isFull() {
    ServerConnection used = connection;
    return used != null && used.isOpen() && !used.channel().isWritable();
  }

  /** Takes the connection out; null if there is none. */
  @Nullable ServerConnection take() {
    ServerConnection taken = connection;
    connection = null;
    return taken;
  }

  /** Releases the connection after the answer to its request. */
  void release() {
    ServerConnection used = take();
    if (used == null || !used.isOpen()) {
      return;
    }
    if (keeps) {
      used.failForClient("done");
    } else if (used.pendingBytes() > 0) {
      used.fail(answeredEarly());
    } else {
      server.release(used);
    }
  }

  /** The reason for closing a connection whose server has answered an incomplete request. */
  String answeredEarly() {
    return "server " + server.name() + " answered before it had the whole value";
  }

  /** Closes the connection: the client is gone, and its incomplete request must not stay there. */
  void abandon() {
    ServerConnection used = take();
    if (used != null && used.isOpen()) {
      used.failForClient("the client that had it is gone");
    }
  }
}
