package sluice.gateway.dispatch;

import sluice.gateway.server.connection.ServerConnection;

/** A change that its client was told of, and that some of its servers have yet to answer. */
public interface UnsettledChange {
  /** Whether the server of {@code next} has yet to answer on another connection. */
  boolean owesElsewhere(ServerConnection next);

  /** Drops the answers that have yet to come: the client has gone. */
  void cancel();
}
