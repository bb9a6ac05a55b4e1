package sluice.gateway.server.connection;

import sluice.gateway.loop.Loop;
import sluice.gateway.request.RequestPool;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.time.Clocks;
import sluice.names.Command;

/**
 * Check whether the server of a connection still answers, and measurement of how long the
 * connection was unused.
 */
public final class KeepAlive {
  /** Connection that is checked. */
  interface Pinged {
    /** Whether it accepts new requests. */
    boolean isAccepting();

    /** Sends a request whose reply is dropped, as ping, which is new. */
    void ping(ServerRequest ping);
  }

  private final Pinged connection;
  private final RequestPool requestPool;
  private final RingQueue<ServerRequest> queue;
  private final ReadPauses pauses;
  private final Loop loop;
  private long lastUsed;
  private long lastPing;
  private boolean asked; // a check is in progress: no request is sent before its answer

  /** A check of connection, whose requests are in queue. */
  KeepAlive(
      Pinged connection, ServerContext server, RingQueue<ServerRequest> queue, ReadPauses pauses) {
    this.connection = connection;
    this.requestPool = server.requestPool();
    this.queue = queue;
    this.pauses = pauses;
    this.loop = server.loop();
    lastUsed = loop.now();
    lastPing = lastUsed;
  }

  /** A request was sent. */
  void used() {
    lastUsed = loop.now();
  }

  /** Whether nothing was sent for that time. */
  boolean isUnusedFor(long nanos) {
    return loop.now() - lastUsed > nanos;
  }

  /** Sends a keep-alive if no request waits and nothing was sent for that time. */
  public void pingIfSilentFor(long nanos) {
    if (queue.isEmpty()
        && connection.isAccepting()
        && loop.now() - Clocks.later(lastUsed, lastPing) > nanos) {
      long used = lastUsed;
      ping();
      lastUsed = used; // a keep-alive does not count as use
    }
  }

  private void ping() {
    lastPing = loop.now();
    connection.ping(requestPool.takeRequest());
  }

  /**
   * Whether a request may be sent at once. A server that was silent for a while may be gone, and a
   * request sent then would be lost. Therefore the server is checked first, and waiting clients are
   * told of the answer.
   *
   * @param nanos silence for which no check is needed
   */
  public boolean isThere(long nanos) {
    if (asked) {
      return false;
    }
    if (pauses.sinceHeard() <= nanos) {
      return true;
    }
    ServerRequest first = queue.peek();
    if (first == null) {
      ping();
    } else if (!isCheck(first)) {
      return true; // it was sent when the server had not been silent
    }
    asked = true;
    return false;
  }

  /**
   * Whether request is a check, of this event loop or of another: no client sends such a request.
   */
  private static boolean isCheck(ServerRequest request) {
    return request.reply() == null && request.command() == Command.NOOP;
  }

  /**
   * Whether a check has waited for its answer for longer than nanos, and the server has sent
   * nothing meanwhile.
   */
  public boolean isUnanswered(long nanos) {
    ServerRequest first = queue.peek();
    return first != null
        && isCheck(first)
        && !pauses.isPausing()
        && pauses.silent() > nanos
        && pauses.waited(first) > nanos;
  }

  /** Whether the server owes nothing but answers to checks, and at least one. */
  boolean areOnlyChecksLeft() {
    for (int i = 0; i < queue.size(); i++) {
      if (!isCheck(queue.get(i))) {
        return false;
      }
    }
    return !queue.isEmpty();
  }

  /** Whether the server was silent for longer than nanos, and so may be gone. */
  public boolean isStale(long nanos) {
    return pauses.sinceHeard() > nanos;
  }

  /** Bytes were received; returns whether a check was in progress. */
  boolean takeAnswer() {
    boolean answer = asked;
    asked = false;
    return answer;
  }
}
