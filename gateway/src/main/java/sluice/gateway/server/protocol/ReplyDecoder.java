package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;
import sluice.gateway.exchange.ServerRequest;

/**
 * Incremental decoder of the replies that come on one server connection: finds where each ends, and
 * tells a {@link ReplyAssembler} which bytes belong to it. Knows no socket and no time.
 *
 * <p>Owns the part of a line or header that an earlier read brought, until {@link #release}.
 */
public interface ReplyDecoder {
  /**
   * Reads on in the reply to request, the first in the queue. Borrows in.
   *
   * @return where it stopped, behind at least one of the bytes [position, end)
   * @throws sluice.codecs.ProtocolException if this is no reply to the request
   */
  int decode(ByteBuf in, int position, int end, ServerRequest request);

  /** Whether the first reply has begun and is not whole. */
  boolean isInsideReply();

  /** Whether the first reply has begun and cannot be ended by an error instead. */
  boolean isInsideValue();

  /**
   * What has been read of a line or header of the first reply, and was not taken; null if nothing
   * was. Borrowed.
   */
  ByteBuf partialHead();

  /** Releases what a half-read reply left. */
  void release();
}
