package sluice.gateway.server.connection;

/**
 * Other event loops that use one {@link ServerConnection} besides its own. They are notified of
 * events on the connection, on its thread.
 */
public interface Sharers {
  /** Whether no other event loop uses it. */
  boolean isEmpty();

  /** Number of their requests in flight. */
  int inFlight();

  /** All requests were flushed; returns how many of them were theirs. */
  int takeUnflushed();

  /** The socket takes bytes: so may they send. */
  void tellIfTaken();

  /** A read was processed: their replies leave. */
  void handOver();

  /** The connection was paused or resumed. */
  void tellOfPause();

  /** They should use another connection, from their next request on. */
  void dismiss();

  /** Called every few milliseconds. */
  void sweep();

  /** The connection has closed for a reason, which they get after everything that was read. */
  void end(String reason);
}
