package sluice.gateway.server.connection;

import sluice.gateway.exchange.ExchangePool;
import sluice.gateway.exchange.RingQueue;
import sluice.gateway.exchange.ServerRequest;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.protocol.ServerContext;

/**
 * Whether the server is still there that a connection leads to, and for how long nobody needed it.
 */
public final class KeepAlive {
  /** The connection. */
  interface Pinged {
    /** Whether new requests may be put on it. */
    boolean isAccepting();

    /** Sends a request whose reply is dropped, as ping, which is new. */
    void ping(ServerRequest ping);
  }

  private final Pinged connection;
  private final ExchangePool exchanges;
  private final RingQueue<ServerRequest> queue;
  private final ReadPauses pauses;
  private final Loop loop;
  private long lastUsed;
  private long lastPing;
  private boolean asked; // whether it is there: nothing is sent before the answer has come

  /** For connection, on which queue waits. */
  KeepAlive(
      Pinged connection, ServerContext server, RingQueue<ServerRequest> queue, ReadPauses pauses) {
    this.connection = connection;
    this.exchanges = server.exchanges();
    this.queue = queue;
    this.pauses = pauses;
    this.loop = server.loop();
    lastUsed = loop.now();
    lastPing = lastUsed;
  }

  /** A request is sent. */
  void used() {
    lastUsed = loop.now();
  }

  /** Whether nothing was sent for so many nanoseconds. */
  boolean isUnusedFor(long nanos) {
    return loop.now() - lastUsed > nanos;
  }

  /** Says something if nothing waits and nothing was sent for so many nanoseconds. */
  public void pingIfSilentFor(long nanos) {
    if (queue.isEmpty()
        && connection.isAccepting()
        && loop.now() - Math.max(lastUsed, lastPing) > nanos) {
      long used = lastUsed;
      ping();
      lastUsed = used; // it is idle all the same
    }
  }

  private void ping() {
    lastPing = loop.now();
    connection.ping(exchanges.takeRequest());
  }

  /**
   * Whether a request may be sent without further ado. A server that has said nothing for a while
   * may be gone, and a request that is sent then would be lost: so it is asked first, and whoever
   * has waited for the server is told of the answer.
   *
   * @param nanos how long silence means nothing
   */
  public boolean isThere(long nanos) {
    if (asked) {
      return false;
    }
    if (!queue.isEmpty() || pauses.sinceHeard() <= nanos) {
      return true;
    }
    asked = true;
    ping();
    return false;
  }

  /** Whether the server has said nothing for so many nanoseconds that it may be gone. */
  public boolean isStale(long nanos) {
    return pauses.sinceHeard() > nanos;
  }

  /** Something came; returns whether the server was asked if it is there. */
  boolean takeAnswer() {
    boolean answer = asked;
    asked = false;
    return answer;
  }
}
