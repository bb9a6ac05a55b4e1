package sluice.gateway.dispatch;

import org.jspecify.annotations.Nullable;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;

/**
 * Provider of the connections for a request: its client, unless the request is not the client's
 * next.
 */
public interface Connector {
  /**
   * The connection for the next request to server; null if there is none now. Then either {@link
   * #failure} states why the request fails, or it is tried again later.
   */
  @Nullable ServerConnection connectionTo(Server server);

  /**
   * The reason for the last {@link #connectionTo} without a connection, if it is final; null: the
   * client waits.
   */
  @Nullable String failure();
}
