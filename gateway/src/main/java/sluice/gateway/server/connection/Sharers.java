package sluice.gateway.server.connection;

/**
 * Other event loops that use one {@link ServerConnection} besides its own. Told of what happens on
 * the connection, on its thread.
 */
public interface Sharers {
  /** Whether nobody else uses it. */
  boolean isEmpty();

  /** How many of the requests that wait are theirs. */
  int inFlight();

  /** All requests have been flushed; says how many of them were theirs. */
  int takeUnflushed();

  /** The socket takes bytes: so may they send. */
  void tellIfTaken();

  /** A read is dealt with: what is theirs of it leaves. */
  void handOver();

  /** The connection is not read, or is again. */
  void tellOfPause();

  /** They had better use another connection, from their next request on. */
  void dismiss();

  /** Called every few milliseconds. */
  void sweep();

  /** The connection is closed for a reason, which they are told behind all that was read. */
  void end(String reason);
}
