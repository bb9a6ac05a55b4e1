package sluice.gateway.session;

import sluice.gateway.metrics.DropReason;

/**
 * Client connection as its event loop manages it: one of many that take turns, share memory and are
 * closed if they block others. Called on that loop.
 */
public interface LoopClient {
  /**
   * Processes the bytes that were read, as far as possible; later, if another client of this loop
   * is in the middle of a request.
   */
  void process();

  /** Called when there may be memory again for the bytes that it has to read. */
  void resumeReading();

  /**
   * Called a few times a second.
   *
   * @param drained elapsed share of the time in which clients leave, 0 to 1; negative: they may
   *     stay
   */
  void sweep(double drained);

  /** Closes now, and drops requests that were not carried out. */
  void cut(DropReason reason);

  /** Closes now, because of an internal error. */
  void broken(Throwable cause);

  /** The name of its listener. */
  String listenerName();

  /** Bytes buffered for it, read or to be written. */
  long allHeldBytes();

  /** How long it may take no bytes while others wait. */
  long stallNanos();

  /** Counts its buffered bytes and checks whether the client takes any of them. */
  void sweepOutput();

  /** Resumes the servers that need not wait for this client any more. */
  void resumeServers();

  /**
   * Whether servers were paused for too long because of this client.
   *
   * @param halvings how often its time to take bytes is halved
   */
  boolean stallsServersTooLong(int halvings);

  /**
   * Whether others wait for a server connection that is reserved for a value that does not arrive.
   */
  boolean keepsConnectionTooLong();

  /** Whether memory is reserved for a value that has almost stopped to arrive. */
  boolean keepsMemoryTooLong();

  /** Whether an incomplete line has almost stopped to arrive. */
  boolean keepsLineTooLong();

  /** Whether many bytes have waited for the client for too long, and it takes none of them. */
  boolean buffersTooLong();
}
