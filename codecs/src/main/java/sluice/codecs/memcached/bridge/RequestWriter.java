package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Writer of canonical requests in a server's dialect. Stateless. */
public interface RequestWriter {
  /**
   * Appends the part of the request before its value, and notes in awaited how the reply will
   * identify it. Borrows out, which must have room for {@link Request#longestHead}.
   *
   * @param opaque 0 or more: the number that the reply must repeat, if the dialect can
   * @return null, or the reason why the dialect cannot express it; then nothing was appended
   */
  @Nullable String write(Request request, int opaque, Awaited awaited, ByteBuf out);

  /** Whether CRLF follows the value. */
  boolean endsValueWithLine();

  /** The reader of the replies. */
  ReplyReader replies();
}
