package sluice.gateway.server.connection;

import sluice.gateway.server.protocol.ServerContext;

/**
 * Server of a connection: what the connection tells it, and asks of it.
 *
 * @param <C> the connections
 */
public interface ConnectionOwner<C> {
  /** What its connections need to know of it. */
  ServerContext context();

  /** Whether event loops share its connections. */
  boolean isShared();

  /** The probe of connection was answered well. */
  void probed(C connection);

  /** The server did not take the login: answer, which people are shown, has nothing of it. */
  void loginRefused(C connection, String answer);

  /** Whether new requests go to connection, as soon as it takes them. */
  boolean isCurrent(C connection);

  /** Connection takes no new requests for a while: another takes its place. */
  void replace(C connection);

  /** Connection is closed, with so many requests that have no reply. */
  void closed(C connection, boolean usable, String reason, String detail, int lost);

  /** The borrower is done; the connection is kept for the next one if nothing is left on it. */
  void giveBack(C connection);

  /** The borrower keeps the connection for good: another may be lent in its place. */
  void detach(C connection);

  /** What asks reads again whose connection is lost. */
  LostReads retries();

  /** Tells those who wait that something has changed. */
  void wake();
}
