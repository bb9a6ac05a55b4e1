package sluice.gateway.client;

import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;

/**
 * The server connection that one client has for itself until its request is answered, or for good.
 */
final class ExclusiveConnection {
  private Server server; // null before the first request
  private ServerConnection connection; // null while it has none
  private boolean keeps;

  /** A request to a server begins. */
  void begin(Server of, boolean forGood) {
    server = of;
    keeps = forGood;
  }

  Server server() {
    return server;
  }

  /** Acquires the connection that was lent. */
  void acquire(ServerConnection lent) {
    connection = lent;
    if (keeps) {
      server.detach(lent);
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

  /** Whether it has an open connection that has yet to take what was written. */
  boolean isFull() {
    return isOpen() && !connection.channel().isWritable();
  }

  /** The connection, which it has no longer; null if it had none. */
  ServerConnection take() {
    ServerConnection taken = connection;
    connection = null;
    return taken;
  }

  /** Releases the connection behind the answer to its request. */
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
      server.giveBack(used);
    }
  }

  /** Why a connection is closed whose server has answered half a request. */
  String answeredEarly() {
    return "server " + server.name() + " answered before it had the whole value";
  }

  /** Closes the connection: the client is gone, and what it left half-said must not stay there. */
  void abandon() {
    boolean open = isOpen();
    ServerConnection used = take();
    if (open) {
      used.failForClient("the client that it was lent to is gone");
    }
  }
}
