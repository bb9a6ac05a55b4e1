package sluice.gateway.exchange;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.ByteSink;

/**
 * Receiver of replies from a server connection: a client, or another event loop that passes them
 * on. It can ask the connection to stop reading.
 */
public interface ReplyReceiver extends ByteSink {
  /** Writes bytes of the reply whose turn it is. Consumes bytes. */
  void reply(ByteBuf bytes);

  @Override
  default void accept(ByteBuf bytes) {
    reply(bytes);
  }

  /** As {@link #reply(ByteBuf)}, of the bytes [from, from + length) of source. Borrows source. */
  void reply(ByteBuf source, int from, int length);

  /**
   * Whether so much waits for this receiver that no more should be read for it. Of the reply that
   * it needs next, whatever waits behind it, only what was written and not taken counts. When the
   * process has buffered too much, everything counts.
   *
   * @param next whether the reply that it needs next is what is read, or none is
   */
  boolean isCongested(boolean next);

  /**
   * A server connection stops reading because of this receiver, which must resume it once.
   *
   * @return false if it is known already
   */
  boolean congests(Resumable server);

  /** Whether server has not been resumed since it was told by {@link #congests} that it may not. */
  boolean holdsUp(Resumable server);

  /** Connection that is resumed when its receiver takes bytes again, or is gone. */
  interface Resumable {
    /**
     * Whether the reply that {@code receiver} awaits first from this connection is the one that it
     * needs next, or it awaits none.
     */
    boolean bringsNextOf(ReplyReceiver receiver);

    /** The receiver takes bytes again, or is gone. */
    void resumed();
  }
}
