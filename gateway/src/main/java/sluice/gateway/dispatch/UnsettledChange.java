package sluice.gateway.dispatch;

import sluice.gateway.server.connection.ServerConnection;

/**
 * Request to several servers that may be a change: then its client may be answered although some of
 * the servers have not answered yet.
 */
public interface UnsettledChange {
  /** Whether it changes items. Some reads do: they set a time to live, or select a writer. */
  boolean isChange();

  /** Whether the server of {@code next} has not answered yet, on another connection. */
  boolean owesElsewhere(ServerConnection next);

  /** Drops the missing answers, because the client has gone. */
  void cancel();
}
