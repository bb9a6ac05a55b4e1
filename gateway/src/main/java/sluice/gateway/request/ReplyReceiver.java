package sluice.gateway.request;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.ByteSink;

/**
 * Receiver of replies from a server connection: a client, or another event loop that passes them
 * on. It can pause the connection.
 */
public interface ReplyReceiver extends ByteSink {
  /** Writes bytes of the reply that is next in order. Consumes bytes. */
  void reply(ByteBuf bytes);

  @Override
  default void accept(ByteBuf bytes) {
    reply(bytes);
  }

  /** As {@link #reply(ByteBuf)}, for the bytes [from, from + length) of source. Borrows source. */
  void reply(ByteBuf source, int from, int length);

  /**
   * Whether too many bytes wait for this receiver to read more for it. For the reply that it needs
   * next, only bytes that were written and not accepted count, not the bytes of later replies. When
   * the process buffers too much, all bytes count.
   *
   * @param next whether the reply being read is the one that it needs next, or there is none
   */
  boolean isFull(boolean next);

  /**
   * A server connection is paused because of this receiver, which must resume it once.
   *
   * @return false if it is known already
   */
  boolean pauses(Resumable server);

  /** Whether server was paused through {@link #pauses} and not resumed since. */
  boolean holdsUp(Resumable server);

  /** Connection that is resumed when its receiver accepts bytes again, or is gone. */
  interface Resumable {
    /**
     * Whether the reply that {@code receiver} awaits first from this connection is the one that it
     * needs next, or it awaits none.
     */
    boolean bringsNextOf(ReplyReceiver receiver);

    /** The receiver accepts bytes again, or is gone. */
    void resumed();
  }
}
