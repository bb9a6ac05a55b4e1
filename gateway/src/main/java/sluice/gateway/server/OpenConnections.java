package sluice.gateway.server;

import java.util.ArrayList;
import java.util.List;
import sluice.gateway.server.connection.ServerConnection;

/** Connections to one server that are open, or being probed. Belongs to one event loop. */
final class OpenConnections {
  private final String server;
  private final ServerSettings settings;
  private final List<ServerConnection> all = new ArrayList<>();
  private volatile int inFlightSeen;
  private volatile int connectionsSeen;

  /**
   * An empty set.
   *
   * @param server the server's name
   */
  OpenConnections(String server, ServerSettings settings) {
    this.server = server;
    this.settings = settings;
  }

  void add(ServerConnection connection) {
    all.add(connection);
  }

  void remove(ServerConnection connection) {
    all.remove(connection);
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /**
   * Called every few milliseconds.
   *
   * @param retired whether the server has left its pool: then idle connections are closed
   */
  void sweep(boolean retired) {
    int inFlight = 0;
    int connections = 0;
    for (int i = 0; i < all.size(); i++) {
      inFlight += all.get(i).ownInFlight();
      connections += all.get(i).hasSocket() ? 1 : 0;
    }
    if (inFlightSeen != inFlight) { // a volatile write costs more than the comparison
      inFlightSeen = inFlight;
    }
    if (connectionsSeen != connections) {
      connectionsSeen = connections;
    }
    for (int i = all.size() - 1; i >= 0; i--) {
      if (i < all.size()) {
        ServerConnection connection = all.get(i);
        try {
          sweep(connection, retired);
        } catch (Throwable e) {
          connection.broken(e); // the others are swept all the same
        }
      }
    }
  }

  private void sweep(ServerConnection connection, boolean retired) {
    connection.account();
    if (!connection.isUsable()) {
      if (connection.isProbing() && connection.age() > settings.connectTimeoutNanos()) {
        connection.fail("server " + server + " did not answer the probe in time");
      }
      return;
    }
    connection.sweep();
    boolean idles = settings.idleNanos() > 0 && connection.isIdleFor(settings.idleNanos());
    if (idles || (retired && connection.isIdleFor(0))) {
      connection.fail(ServerConnection.IDLE);
    } else if (settings.pingAfterNanos() > 0 && connection.hasSocket()) {
      connection.keepAlive().pingIfSilentFor(settings.pingAfterNanos());
    }
  }

  /** Whether one of them has requests, or is not usable yet, or no more. */
  boolean areAwaited() {
    for (int i = 0; i < all.size(); i++) {
      ServerConnection connection = all.get(i);
      if (!connection.isUsable() || connection.hasRequests()) {
        return true;
      }
    }
    return false;
  }

  /** Whether one of them has requests that were neither answered nor failed. */
  boolean oweReplies() {
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).owesReplies()) {
        return true;
      }
    }
    return false;
  }

  /** Requests in flight, as of the last sweep; from any thread. */
  int inFlight() {
    return inFlightSeen;
  }

  /** The number of connections with a socket, as of the last sweep; from any thread. */
  int sockets() {
    return connectionsSeen;
  }

  /** Closes all connections for a reason. */
  void fail(String reason) {
    for (ServerConnection connection : List.copyOf(all)) {
      connection.fail(reason);
    }
  }
}
