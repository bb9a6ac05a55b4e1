package sluice.gateway.client;

import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;

/**
 * Server connection that one client uses exclusively until its request is answered, or for good.
 */
final class ExclusiveConnection {
  private Server server; // null before the first request
  private ServerConnection connection; // null while it has none
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
  ServerConnection get() {
    return connection;
  }

  /** Whether it has a connection, which is open. */
  boolean isOpen() {
    return connection != null && connection.isOpen();
  }

  /** Whether it has an open connection that has not taken all written bytes. */
  boolean isFull() {
    return isOpen() && !connection.channel().isWritable();
  }

  /** Takes the connection out; null if there is none. */
  ServerConnection take() {
    ServerConnection taken = connection;
    connection = null;
    return taken;
  }

  /** Releases the connection after the answer to its request. */
  void release() {
    boolean open = isOpen();
    ServerConnection used = take();
    if (!open) {
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
    boolean open = isOpen();
    ServerConnection used = take();
    if (open) {
      used.failForClient("the client that had it is gone");
    }
  }
}
