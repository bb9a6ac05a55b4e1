package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;

/** Says a neutral reply in the words of a client's dialect. Stateless. */
public interface ReplyWriter {
  /**
   * Appends a reply, or, if it has a value that the client wants, all that goes in front of it.
   * Borrows out.
   */
  void write(Reply reply, Awaited awaited, ByteBuf out);

  /** Appends what goes behind a value. Borrows out. */
  void endValue(Awaited awaited, ByteBuf out);

  /** Bytes that {@link #write} and {@link #endValue} need for a reply, its value aside. */
  static int longest(Reply reply, Awaited awaited) {
    // Up to six numbers of 20 digits beside key and opaque; an error or statistic as it came.
    return 224
        + awaited.keyLength
        + (reply.textTo - reply.textFrom)
        + (reply.nameTo - reply.nameFrom);
  }
}
