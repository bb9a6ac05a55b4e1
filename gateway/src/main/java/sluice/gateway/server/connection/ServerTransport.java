package sluice.gateway.server.connection;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;

/**
 * Transport of a {@link ServerConnection}: a socket of its own, or a pipe to another event loop's
 * connection. Bytes pass through the channel either way; this interface covers the other
 * differences. Belongs to the connection's event loop.
 */
public interface ServerTransport {
  /**
   * Whether it is a socket. The owner of the socket is responsible for the server's state, and
   * keeps the connection alive.
   */
  boolean isSocket();

  /**
   * Prepares a channel that was opened for it.
   *
   * @param exclusive whether one client at a time uses it
   */
  void opened(Channel channel, boolean exclusive);

  /** Whether the server is probed before it is used. */
  boolean isProbed();

  /** The version of the server, if it is not probed: the owner of the socket has probed it. */
  @Nullable ServerVersion version();

  /**
   * Whether requests may wait for others to leave with. Through a pipe each leaves at the end of
   * the loop iteration, and waits on the other loop.
   */
  boolean gathersRequests();

  /** The first of the opaques reserved for requests on this transport. */
  int firstOpaque();

  /** Counts received bytes. */
  void bytesRead(int bytes);

  /**
   * Everything written was flushed.
   *
   * @param requests number of new requests, the last in queue
   * @param bytesWritten on the connection, in all
   */
  void flushed(RingQueue<ServerRequest> queue, int requests, long bytesWritten);

  /** When the server was heard last on it, as it opens; the connection belongs to loop. */
  long heardAt(Loop loop);

  /**
   * When the other loop that replies come through has heard the server last, with a reply to any
   * loop's request; {@link Long#MIN_VALUE} if there is no other loop.
   */
  long ownerHeardAt();

  /** Whether the other loop that replies come through has paused reading. */
  boolean isHeldUp();

  /** Total time of such pauses in nanoseconds. */
  long heldUpNanos();

  /**
   * Reading was paused, or stays paused.
   *
   * @param forClient whether a client takes no replies; otherwise, work on values comes first
   */
  void readingStops(boolean forClient);

  /** Replies that a pause had put off were read. */
  void restRead();

  /** The server broke the protocol: the underlying connection must not be used any more. */
  void poison(String reason);

  /** An exclusive connection is never released. */
  void keep();
}
