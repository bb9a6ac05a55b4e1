package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import sluice.gateway.request.PendingReply;

/**
 * Reader of the requests of one client in its dialect: finds them in a stream that may be cut
 * anywhere, and passes them on to be executed. Belongs to one connection.
 */
public interface DialectReader {
  /**
   * Parses one more part of a request from in, and sends complete requests; advances in's reader
   * index. Borrows in, which may be empty if {@link #hasUnsent}.
   */
  void step(ByteBuf in);

  /** Whether a complete request was taken out of the input and has not been sent on. */
  boolean hasUnsent();

  /** Whether no part of a request is kept outside of the input. */
  boolean isBetweenRequests();

  /** The bytes of the input's first buffer were moved to another one. Borrows moved. */
  void moved(ByteBuf moved, int by);

  /** Requests that have not been sent follow a newer configuration. */
  void configured();

  /** All available bytes were read from the socket. */
  default void readComplete() {}

  /** The error reply in place of {@code pending}; the caller owns the result. */
  ByteBuf failureReply(PendingReply pending, String reason);

  /** Releases an incomplete request. */
  void release();
}
