package sluice.gateway.server.connection;

import sluice.gateway.exchange.ServerRequest;
import sluice.gateway.loop.Loop;

/**
 * For how long a connection to a server is not read, because of somebody who does not take replies:
 * that time counts against the server for nobody. All times are nanoseconds.
 */
public final class ReadPauses {
  private final Loop loop;
  private final ServerTransport transport;
  private boolean pausing;
  private long pausedAt;
  private long ended; // what all have taken that are over
  private long heardAt;
  private long before; // the server was heard

  /**
   * Pauses of a connection that is read from now on.
   *
   * @param transport which the replies come by, where others may stop reading as well
   */
  ReadPauses(Loop loop, ServerTransport transport) {
    this.loop = loop;
    this.transport = transport;
    heard();
  }

  /** The connection is not read, for one more reason. */
  void begin() {
    if (!pausing) {
      pausing = true;
      pausedAt = loop.now();
    }
  }

  /** The connection is read again. */
  void end() {
    pausing = false;
    ended += Math.max(0, loop.now() - pausedAt);
    heard();
  }

  /** Whether the connection is not read. */
  public boolean isPausing() {
    return pausing;
  }

  /** Whether it is not read, or another event loop's that it goes through. */
  boolean isHeldUp() {
    return pausing || transport.isHeldUp();
  }

  /** What its own pauses have taken that are over. */
  public long ended() {
    return ended;
  }

  /** What all pauses have taken that are over. */
  long all() {
    return ended + transport.heldUpNanos();
  }

  /** For how long the server has owed request a reply, which was sent with {@link #all}. */
  long waited(ServerRequest request) {
    return loop.now() - request.started() - (all() - request.pausedBefore());
  }

  /** Something came: time begins anew that the server may let pass inside a reply. */
  void heard() {
    heardAt = loop.now();
    before = all();
  }

  /** For how long the server has said nothing, as far as it was listened to. */
  long silent() {
    return sinceHeard() - (all() - before);
  }

  /** How long ago something came, or the connection was read again. */
  long sinceHeard() {
    return loop.now() - heardAt;
  }
}
