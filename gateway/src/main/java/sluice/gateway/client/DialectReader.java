package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import sluice.gateway.exchange.Exchange;

/**
 * Reader of the requests of one client in its dialect: finds them, wherever the stream was cut, and
 * has them carried out. Belongs to one connection.
 */
public interface DialectReader {
  /**
   * Reads one more part of a request from in, and sends on what is whole; advances in's reader
   * index over what it is done with. Borrows in, which may be empty if {@link #hasUnsent}.
   */
  void step(ByteBuf in);

  /** Whether a whole request was taken out of the input and has not been sent on. */
  boolean hasUnsent();

  /** Whether nothing is kept of a request but what is still in the input. */
  boolean isBetweenRequests();

  /** The bytes of the input's first buffer lie in another now. Borrows moved. */
  void moved(ByteBuf moved, int by);

  /** Requests that have not been sent go where a newer configuration says. */
  void configured();

  /** All that there was has been read from the socket. */
  default void readComplete() {}

  /** The answer to exchange that says why it has no other; the caller owns the result. */
  ByteBuf failureReply(Exchange exchange, String reason);

  /** Releases what a half-read request left. */
  void release();
}
