package sluice.gateway.server.connection;

import io.netty.channel.Channel;
import sluice.gateway.exchange.RingQueue;
import sluice.gateway.exchange.ServerRequest;

/**
 * Way by which a {@link ServerConnection} reaches its server: a socket of its own, or a pipe to
 * another event loop's connection. Bytes pass through the channel either way; this is what else
 * differs. Belongs to the connection's event loop.
 */
public interface ServerTransport {
  /**
   * Whether it is a socket. Who has the socket answers for the server's state, and keeps it open.
   */
  boolean isSocket();

  /** Prepares a channel that was opened for it. */
  void opened(Channel channel);

  /** Whether the server is asked what it is before it is used. */
  boolean isProbed();

  /**
   * Whether requests may wait for others to leave with. Through a pipe each leaves by itself, at
   * the end of the loop iteration, and waits at its end.
   */
  boolean gathersRequests();

  /** The first of the opaques that requests sent this way have for themselves. */
  int firstOpaque();

  /** So many bytes have come. */
  void bytesRead(int bytes);

  /**
   * All that was written has been flushed.
   *
   * @param requests how many more than before, the last in queue
   * @param bytesWritten on the connection, in all
   */
  void flushed(RingQueue<ServerRequest> queue, int requests, long bytesWritten);

  /** Whether somebody else, whom the replies come through, has stopped reading. */
  boolean isHeldUp();

  /** For how long in all somebody else has not read what was to come this way, in nanoseconds. */
  long heldUpNanos();

  /** The server broke the protocol: nobody may use what leads to it any more. */
  void poison(String reason);

  /** The connection is lent and never given back. */
  void keep();
}
