package sluice.gateway.server.connection;

import sluice.gateway.loop.Loop;
import sluice.gateway.request.ServerRequest;

/**
 * Time during which a server connection was paused because a client does not read replies, or for
 * work on values. Time spent paused is never charged to the server. All times are nanoseconds.
 */
public final class ReadPauses {
  private final Loop loop;
  private final ServerTransport transport;
  private boolean pausing;
  private long pausedAt;
  private long ended; // total of all pauses that are over
  private long heardAt;
  private long before; // the same when the server was last heard

  /**
   * Pauses of a connection that is being read.
   *
   * @param transport by which replies arrive, and which others may pause as well
   */
  ReadPauses(Loop loop, ServerTransport transport) {
    this.loop = loop;
    this.transport = transport;
    heardAt = transport.heardAt(loop);
    before = all();
  }

  /** Pauses the connection, for one more reason. */
  void begin() {
    if (!pausing) {
      pausing = true;
      pausedAt = loop.now();
    }
  }

  /** Resumes the connection. */
  void end() {
    pausing = false;
    ended += Math.max(0, loop.now() - pausedAt);
    heard();
  }

  /** Whether the connection is paused. */
  public boolean isPausing() {
    return pausing;
  }

  /** Whether it is paused, or the other event loop's connection that it goes through. */
  boolean isHeldUp() {
    return pausing || transport.isHeldUp();
  }

  /** Total of its own pauses that are over. */
  public long ended() {
    return ended;
  }

  /** Total of all pauses that are over. */
  long all() {
    return ended + transport.heldUpNanos();
  }

  /** Total of all pauses, including one that is not over. */
  long untilNow() {
    return all() + (pausing ? Math.max(0, loop.now() - pausedAt) : 0);
  }

  /** How long the server has owed request a reply, which was sent at {@link #all}. */
  long waited(ServerRequest request) {
    return loop.now() - request.started() - (all() - request.pausedBefore());
  }

  /** Bytes were received: the time allowed between two parts of a reply starts again. */
  void heard() {
    heardAt = loop.now();
    before = all();
  }

  /** When bytes were received, or the connection was resumed. */
  public long heardAt() {
    return heardAt;
  }

  /**
   * How long the server was silent while it was read. On another loop's connection it was not while
   * that loop heard it.
   */
  long silent() {
    long here = sinceHeard() - (all() - before);
    long owner = transport.ownerHeardAt();
    return owner == Long.MIN_VALUE ? here : Math.min(here, loop.now() - owner);
  }

  /** Time since bytes were received, or the connection was resumed. */
  long sinceHeard() {
    return loop.now() - heardAt;
  }
}
