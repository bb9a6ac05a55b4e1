package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.bridge.Reply;
import sluice.gateway.request.ServerRequest;

/**
 * Reply that the reader of its request's bridge parses unit by unit: a unit is a line, or the head
 * of a packet. The decoder finds where units and values end.
 */
public interface UnitReply {
  /** No value follows a unit. */
  int NO_VALUE = Reply.NO_VALUE;

  /** The unit is no reply to the request. */
  int NO_REPLY = -2;

  /**
   * Reads one unit, [from, to) of in, of the reply to request, the first. Borrows in.
   *
   * @return length of the value that follows, {@link #NO_VALUE} or {@link #NO_REPLY}
   */
  int unit(ByteBuf in, int from, int to, ServerRequest request);

  /** The value of the reply to request was read to its end. */
  void valueEnds(ServerRequest request);

  /** Whether the reply is complete, called at the end of a unit or a value. */
  boolean isWhole();

  /** Whether all bytes of the reply are passed on unchanged. */
  boolean isVerbatim();

  /** Whether the value being read is discarded. */
  boolean dropsValue();
}
