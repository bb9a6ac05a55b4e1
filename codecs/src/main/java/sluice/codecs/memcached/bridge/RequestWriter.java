package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;

/** Says a neutral request in the words of a server's dialect. Stateless. */
public interface RequestWriter {
  /**
   * Appends everything of the request that goes in front of its value, and notes in awaited how the
   * reply will name it. Borrows out, which has room for {@link Request#longestHead}.
   *
   * @param opaque 0 or more: what the reply has to repeat, where the dialect can
   * @return null, or why the dialect has no words for it; then nothing was appended
   */
  String write(Request request, int opaque, Awaited awaited, ByteBuf out);

  /** Whether CRLF goes behind the value. */
  boolean endsValueWithLine();

  /** What reads the replies. */
  ReplyReader replies();
}
