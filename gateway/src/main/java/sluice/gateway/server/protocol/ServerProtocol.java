package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.health.ServerStatus;

/**
 * Protocol that the gateway uses with servers: creates the parts of a server connection that depend
 * on it. A value without state of its own, for all connections and event loops.
 *
 * <p>Not here: encoding of clients' requests, which arrive in their final form.
 */
public interface ServerProtocol {
  /** The side of a server's status that this protocol belongs to. */
  ServerStatus.Side side();

  /** The probe of a new connection's server. */
  Probe probe(Probed connection, ServerContext server);

  /** The decoder of replies to the requests in queue, which it passes to replies. */
  ReplyDecoder replyDecoder(
      ReplyAssembler replies, RingQueue<ServerRequest> queue, ServerContext server);

  /**
   * Starts ping, whose reply is dropped, and returns the bytes of a request that changes nothing.
   * The caller owns the result.
   *
   * @param opaque for the request, if the protocol has one
   */
  ByteBuf keepAlive(ServerRequest ping, int opaque, Loop loop);

  /** The writer of several clients' reads as one request; null if the protocol has none. */
  @Nullable JoinedReads joinedReads();
}
