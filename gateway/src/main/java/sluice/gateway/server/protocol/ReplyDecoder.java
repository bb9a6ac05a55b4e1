package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.gateway.request.ServerRequest;

/**
 * Incremental decoder of the replies on one server connection: finds where each ends, and tells a
 * {@link ReplyAssembler} which bytes belong to it. Independent of sockets and time.
 *
 * <p>Owns the incomplete line or header of earlier reads, until {@link #release}.
 */
public interface ReplyDecoder {
  /**
   * Continues reading the reply to request, the first in the queue. Borrows in.
   *
   * @return index where it stopped, behind at least one of the bytes [position, end)
   * @throws sluice.codecs.ProtocolException if this is no reply to the request
   */
  int decode(ByteBuf in, int position, int end, ServerRequest request);

  /** Whether the first reply has begun and is incomplete. */
  boolean isInsideReply();

  /** Whether the first reply has begun and cannot be ended by an error instead. */
  boolean isInsideValue();

  /** The incomplete line or header of the first reply; null if there is none. Borrowed. */
  @Nullable ByteBuf partialHead();

  /** Releases the bytes of an incomplete reply. */
  void release();
}
