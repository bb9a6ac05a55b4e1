package sluice.gateway.session;

import sluice.gateway.metrics.DropReason;

/**
 * A client connection as its event loop sees it: one of many that take turns, share memory and are
 * closed when they stand in the way of others. Called on that loop.
 */
public interface LoopClient {
  /**
   * Goes on with what was read, as far as nothing stands in the way; later, if another client of
   * this loop is in the middle of a request.
   */
  void process();

  /** There may be memory again for what it has to read. */
  void feed();

  /**
   * Called a few times a second.
   *
   * @param drained how much of the time has passed in which clients leave, from 0 to 1; negative:
   *     they may stay
   */
  void sweep(double drained);

  /** Closes now, and drops what was not carried out yet. */
  void cut(DropReason reason);

  /** The name of its listener. */
  String listenerName();

  /** Bytes that are held for it, read or to be written. */
  long allHeldBytes();

  /** How long it may take nothing while others wait. */
  long stallNanos();

  /** Counts what is buffered and looks whether the client takes anything of it. */
  void sweepOutput();

  /** Resumes the servers that need not wait for this client any more. */
  void relieve();

  /**
   * Whether servers have been kept from being read for too long.
   *
   * @param halvings how often the time is halved in which it has to take something
   */
  boolean congestsTooLong(int halvings);

  /** Whether others wait for a server connection that is kept for a value that does not come. */
  boolean keepsConnectionTooLong();

  /** Whether memory is kept for a value of which next to nothing more comes. */
  boolean keepsRoomTooLong();

  /** Whether much has waited for the client for too long, and it takes nothing of it. */
  boolean hoardsTooLong();
}
