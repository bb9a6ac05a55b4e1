package sluice.gateway.client;

import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.net.Sockets;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;

/**
 * Server connection that one client uses exclusively until its request is answered, or for good.
 */
final class ExclusiveConnection {
  @SuppressWarnings("NullAway.Init") // begin sets it, which comes first
  private Server server;

  private @Nullable ServerConnection connection;
  private boolean keeps;
  private long taken; // bytes that the socket had taken when it was last full

  /** Begins a request to a server. */
  void begin(Server of, boolean forGood) {
    server = of;
    keeps = forGood;
  }

  Server server() {
    return server;
  }

  /** Sets the acquired connection. */
  void acquire(ServerConnection acquired) {
    connection = acquired;
    taken = -1;
    if (keeps) {
      server.detach(acquired);
    }
  }

  /** The connection; null while it has none. */
  @Nullable ServerConnection get() {
    return connection;
  }

  /** The connection, while it has one. */
  @SuppressWarnings("NullAway") // only what is being sent on it needs it
  ServerConnection acquired() {
    return connection;
  }

  /** Whether it has a connection, which is open. */
  boolean isOpen() {
    return connection != null && connection.isOpen();
  }

  /**
   * Lets the client wait if the connection takes no more bytes; returns whether it does. The wait
   * is limited from when the server has last taken some.
   */
  boolean waitsIfFull(ClientControl control) {
    ServerConnection used = connection;
    if (used == null || !used.isOpen() || used.channel().isWritable()) {
      return false;
    }
    long before = taken;
    taken = used.takenBytes();
    control.waitFor(server, taken != before);
    return true;
  }

  /**
   * The connection has been full for that time: it ends, unless the server still accepts bytes. A
   * connection may stay full meanwhile: a kernel buffers megabytes, and asks for more when a third
   * has left.
   */
  void endIfFullFor(long nanos, String reason) {
    ServerConnection used = connection;
    if (used != null && used.takenBytes() == taken && !isTaking(used.channel(), nanos)) {
      used.fail(reason);
    }
  }

  private static boolean isTaking(Channel channel, long nanos) {
    long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
    return Sockets.isTaking(channel, millis) && Sockets.isAcknowledging(channel, millis);
  }

  /** Takes the connection out; null if there is none. */
  @Nullable ServerConnection take() {
    ServerConnection taken = connection;
    connection = null;
    return taken;
  }

  /** Releases the connection after the answer to its request. */
  void release() {
    ServerConnection used = take();
    if (used == null || !used.isOpen()) {
      return;
    }
    if (keeps) {
      used.failForClient("done");
    } else {
      server.release(used);
    }
  }

  /**
   * Closes a connection whose server has answered an incomplete request, unless the server has. So
   * early an answer can only be a refusal; any other is replaced by an error.
   */
  void endAnsweredEarly(PendingReply early) {
    ServerConnection used = take();
    if (used == null) {
      return;
    }
    String reason = server.context().answeredEarly();
    if (early.outcome() == Outcome.OK || early.outcome() == Outcome.MISS) {
      server.protocolError(reason);
      early.outcome(Outcome.PROTOCOL_ERROR);
      early.releaseSlices();
      if (early.suppression() != Suppression.ALL) {
        early.hold(early.requester().failureReply(early, reason));
      }
    }
    if (used.isOpen()) {
      used.fail(reason);
    }
  }

  /** Closes the connection: the client is gone, and its incomplete request must not stay there. */
  void abandon() {
    ServerConnection used = take();
    if (used != null && used.isOpen()) {
      used.failForClient("its client has disconnected");
    }
  }
}
