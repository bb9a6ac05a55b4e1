package sluice.gateway.server;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.ReplyReceiver;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.connection.LostReads;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.Unanswered;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.ServerContext;

/**
 * Retries of reads of one server, whose connection was lost before their reply began. They are sent
 * again as soon as there is another connection, if they are few among all requests.
 *
 * <p>A client's later requests to the server wait meanwhile, because its request still names the
 * lost connection.
 */
final class Retries implements LostReads {
  /** Retries allowed for any share: a server with few requests may lose a connection, too. */
  private static final int LEAST = 16;

  private static final int MOST = 10_000;

  private final ServerContext server;
  private final Loop loop;
  private final int max;
  private final double share;
  private final boolean sendsLines;
  private final ArrayDeque<ServerRequest> waiting = new ArrayDeque<>();
  private double tokens = LEAST;
  private boolean closed;

  /**
   * Retries of one server.
   *
   * @param max retries of one request; 0: never
   * @param share of all requests, 0 to 1
   * @param side whose requests are lines, or packets
   */
  Retries(ServerContext server, int max, double share, ServerStatus.Side side) {
    this.server = server;
    this.loop = server.loop();
    this.max = max;
    this.share = share;
    sendsLines = side == ServerStatus.Side.TEXT;
  }

  @Override
  public boolean areRemembered() {
    return max > 0;
  }

  /** Ends all retries. */
  void close() {
    closed = true;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /**
   * Excludes reads that are followed by a write of the same client. The server may have executed
   * the write, and a retried read would return its effect.
   */
  @Override
  public void forgetOvertaken(RingQueue<ServerRequest> lost) {
    if (!areRemembered()) {
      return;
    }
    Set<@Nullable ReplyReceiver> writers = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = lost.size() - 1; i >= 0; i--) {
      ServerRequest request = lost.get(i);
      if (request.sent().length() == 0) {
        writers.add(request.receiver());
      } else if (writers.contains(request.receiver())) {
        request.sent().forget();
      }
    }
  }

  @Override
  public void sent(int requests) {
    tokens = Math.min(MOST, tokens + requests * share);
  }

  @Override
  public boolean take(ServerRequest request) {
    if (closed
        || request.sent().length() == 0
        || isReadByVersion(request)
        || request.sent().attempts() >= max
        || tokens < 1) {
      return false;
    }
    tokens--;
    request.sent().tryAgain();
    server.reports().retried();
    waiting.add(request);
    return true;
  }

  /** Whether the next process, which may be of another version, may read the line differently. */
  private boolean isReadByVersion(ServerRequest request) {
    return sendsLines && request.sent().hasNul();
  }

  /**
   * Sends the requests over connection. Those for which there is no memory wait for the next sweep:
   * the caller has others to wake, and to sweep.
   */
  void send(ServerConnection connection) {
    for (int left = waiting.size(); left > 0; left--) {
      ServerRequest request = waiting.peek();
      if (request.reply() == null) {
        server.requestPool().give(waiting.poll()); // its client is gone
      } else {
        ByteBuf bytes = bufferFor(request);
        if (bytes == null) {
          return;
        }
        connection.expect(waiting.poll());
        connection.write(request.sent().write(bytes));
      }
    }
  }

  /** A buffer for the bytes of request; null if there is no memory. The caller owns the result. */
  private @Nullable ByteBuf bufferFor(ServerRequest request) {
    try {
      return loop.buffer(request.sent().length());
    } catch (OutOfMemoryError e) {
      return null;
    }
  }

  /** Fails requests that have waited for longer than limit, in nanoseconds; 0: all. */
  void fail(String reason, long limit) {
    for (int left = waiting.size(); left > 0; left--) {
      ServerRequest request = waiting.poll();
      if (request.reply() == null) {
        server.requestPool().give(request);
      } else if (limit > 0 && loop.now() - request.started() <= limit) {
        waiting.add(request);
      } else {
        server.reports().lost(request);
        Unanswered.answer(request, server, reason);
      }
    }
  }
}
