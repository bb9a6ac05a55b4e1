package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;
import sluice.gateway.exchange.RingQueue;
import sluice.gateway.exchange.ServerRequest;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.health.ServerStatus;

/**
 * Protocol that servers are spoken to in: makes what a connection to a server is put together from.
 * A value without state of its own, for all connections and event loops.
 *
 * <p>Not here: how clients' requests are written. They come as the bytes that leave.
 */
public interface ServerProtocol {
  /** Which side of a server's status tells whether it can be spoken to like this. */
  ServerStatus.Side side();

  /** What asks a new connection's server what it is. */
  Probe probe(Probed connection, ServerContext server);

  /** What finds the ends of the replies to the exchanges in queue, which replies hands on. */
  ReplyDecoder replyDecoder(
      ReplyAssembler replies, RingQueue<ServerRequest> queue, ServerContext server);

  /**
   * Starts ping, whose reply is dropped, and writes a request that changes nothing. The caller owns
   * the result.
   *
   * @param opaque for the request, if the protocol has such a thing
   */
  ByteBuf keepAlive(ServerRequest ping, int opaque, Loop loop);

  /** What writes several clients' reads as one request; null if the protocol has none. */
  JoinedReads joinedReads();
}
