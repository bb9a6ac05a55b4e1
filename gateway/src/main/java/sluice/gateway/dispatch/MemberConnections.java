package sluice.gateway.dispatch;

import org.jspecify.annotations.Nullable;
import sluice.gateway.server.connection.ServerConnection;

/** Connections that were found for the members of a request to several backends. */
public final class MemberConnections {
  /** The most backends that one request goes to at the same time. */
  public static final int MOST_MEMBERS = 16;

  private static final @Nullable ServerConnection[] NO_CONNECTIONS = {};
  private static final @Nullable String[] NO_FAILURES = {};

  public @Nullable ServerConnection connection;
  public @Nullable String failure;

  // Empty before the first request to several.
  public @Nullable ServerConnection[] connections = NO_CONNECTIONS;
  public @Nullable String[] failures = NO_FAILURES;

  public void clear() {
    connection = null;
    failure = null;
    for (int i = 0; i < connections.length; i++) {
      connections[i] = null;
      failures[i] = null;
    }
  }

  /** The connections of a request to several backends. */
  public MemberConnections several() {
    if (connections.length == 0) {
      connections = new ServerConnection[MOST_MEMBERS];
      failures = new String[MOST_MEMBERS];
    }
    clear();
    return this;
  }
}
