package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;

/** Writer of canonical replies in a client's dialect. Stateless. */
public interface ReplyWriter {
  /**
   * Appends a reply. If it has a value that the client wants, appends only the part before the
   * value. Borrows out.
   */
  void write(Reply reply, Awaited awaited, ByteBuf out);

  /** Appends the part after a value. Borrows out. */
  void endValue(Awaited awaited, ByteBuf out);

  /**
   * The most bytes that {@link #write} and {@link #endValue} need for a reply, without its value.
   */
  static int longest(Reply reply, Awaited awaited) {
    // Up to six numbers of 20 digits, besides key and opaque; an error or statistic as it arrived.
    return 224 + awaited.echoed.keyLength + reply.text.length() + reply.name.length();
  }
}
