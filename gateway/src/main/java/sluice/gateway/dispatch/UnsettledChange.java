package sluice.gateway.dispatch;

import sluice.gateway.server.connection.ServerConnection;

/** Change that was answered to its client, although some of its servers have not answered yet. */
public interface UnsettledChange {
  /** Whether the server of {@code next} has not answered yet, on another connection. */
  boolean owesElsewhere(ServerConnection next);

  /** Drops the missing answers, because the client has gone. */
  void cancel();
}
