package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;

/** Makes a neutral reply of what a server says in its dialect. Stateless. */
public interface ReplyReader {
  /**
   * Reads one unit, which is [from, to): a line without its line end, or the head of a packet. The
   * value is not in it, unless it is a number. Borrows in; reply refers to it.
   *
   * @param awaited the request that it should be the answer to
   * @return false if it is no answer to that request
   */
  boolean read(ByteBuf in, int from, int to, Awaited awaited, Reply reply);

  /**
   * Bytes of a packet that must lie together to be read, as far as the available bytes from at on
   * say; of no meaning to a dialect of lines. Borrows in.
   */
  default long headLength(ByteBuf in, int at, int available, Awaited awaited) {
    throw new UnsupportedOperationException("lines have no heads");
  }

  /**
   * Reads the number that followed in a unit of its own, because {@link #read} found a value's
   * length. Borrows in.
   *
   * @return false if it is none
   */
  default boolean readNumber(ByteBuf in, int from, int to, Reply reply) {
    return false;
  }
}
