package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;

/** Reader of a server's dialect, which makes canonical replies. Stateless. */
public interface ReplyReader {
  /**
   * Reads one unit, [from, to): a line without its line end, or the head of a packet. The unit does
   * not contain the value, unless that is a number. Borrows in; reply refers to it.
   *
   * @param awaited the request that the unit should answer
   * @return false if it is no reply to that request
   */
  boolean read(ByteBuf in, int from, int to, Awaited awaited, Reply reply);

  /**
   * Bytes of a packet that must be contiguous to be read, judged by the available bytes from at on.
   * Not used by dialects of lines. Borrows in.
   */
  default long headLength(ByteBuf in, int at, int available, Awaited awaited) {
    throw new UnsupportedOperationException("lines have no heads");
  }

  /**
   * Reads the number that followed in a separate unit, because {@link #read} found a value's
   * length. Borrows in.
   *
   * @return false if it is no number
   */
  default boolean readNumber(ByteBuf in, int from, int to, Reply reply) {
    return false;
  }
}
