package sluice.gateway.server.connection;

import org.jspecify.annotations.Nullable;

/** Reason for which one connection is closed: the first of several. */
final class Closing {
  private @Nullable String reason; // reason for clients; null until the connection is to be closed
  private @Nullable String detail; // reason for logs
  private boolean forClient;
  private boolean byServer;

  /** Closes for a reason that is the same for clients and logs. */
  void begin(String why) {
    begin(why, why);
  }

  /**
   * Closes for a reason.
   *
   * @param toPeople the reason for logs, which may have more details than the one for clients
   */
  void begin(String why, String toPeople) {
    byServer = false; // also if the server broke off: what it had sent turned out to be wrong
    if (reason == null) {
      reason = why;
      detail = toPeople;
    }
  }

  /** Closes for a client's reason, which does not affect the server's health. */
  void beginForClient(String why) {
    begin(why);
    forClient = true;
  }

  /**
   * The server has ended the connection, for a reason that is known: the replies that had come
   * still count.
   */
  void beginByServer(String why, String toPeople) {
    boolean counts = !isFinal();
    begin(why, toPeople);
    byServer = counts;
  }

  /** Whether replies do not count any more: it closes, and not because the server broke off. */
  boolean isFinal() {
    return reason != null && !byServer;
  }

  boolean hasBegun() {
    return reason != null;
  }

  boolean isFor(String why) {
    return why.equals(reason);
  }

  @SuppressWarnings("NullAway") // there is one once it has begun
  String reason() {
    return reason;
  }

  @SuppressWarnings("NullAway") // as reason
  String detail() {
    return detail;
  }

  boolean isForClient() {
    return forClient;
  }
}
