package sluice.gateway.dispatch;

import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;

/** What finds the connections of a request: its client, unless it is not the client's next. */
public interface Connector {
  /**
   * The connection for the next request to server; null if there is none now. Then either {@link
   * #failure} says why the request fails, or it is looked at again later.
   */
  ServerConnection connectionTo(Server server);

  /** Why the last {@link #connectionTo} found no connection, if it is final; null: it waits. */
  String failure();
}
