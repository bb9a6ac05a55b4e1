package sluice.gateway.server.connection;

import sluice.gateway.server.protocol.ServerContext;

/**
 * Owner of a connection, which is its server.
 *
 * @param <C> type of the connections
 */
public interface ConnectionOwner<C> {
  /** Facts that its connections need. */
  ServerContext context();

  /** Whether event loops share its connections. */
  boolean isShared();

  /** The probe of connection succeeded. */
  void probed(C connection);

  /** The server refused the login. The answer, which is logged, contains nothing of it. */
  void loginRefused(C connection, String answer);

  /** The server has answered a check whether it is still there at the other end of connection. */
  void answeredCheck(C connection);

  /** Whether new requests go to connection, as soon as it accepts them. */
  boolean isCurrent(C connection);

  /** Connection accepts no new requests for a while: another takes its place. */
  void replace(C connection);

  /** A connection has closed, with a number of requests without a reply. */
  void closed(C connection, boolean usable, String reason, String detail, int lost);

  /**
   * Releases an exclusive connection, which is kept for the next acquirer if no request is on it.
   */
  void release(C connection);

  /** The acquirer keeps the connection for good: another may be made in its place. */
  void detach(C connection);

  /** Retries of reads whose connection is lost. */
  LostReads retries();

  /** Notifies waiting requests that something has changed. */
  void wake();
}
