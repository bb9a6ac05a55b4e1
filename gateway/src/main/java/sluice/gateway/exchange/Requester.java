package sluice.gateway.exchange;

import io.netty.buffer.ByteBuf;

/** Who waits for replies, in the order in which it asked. */
public interface Requester extends HeldPieces.Taker {
  /** Whether the replies to everything asked before exchange have been written. */
  boolean isTurnOf(Exchange exchange);

  @Override
  void reply(ByteBuf bytes);

  /** As {@link #reply(ByteBuf)}, of the bytes [from, from + length) of source. Borrows source. */
  void reply(ByteBuf source, int from, int length);

  /**
   * Exchange is complete, and what has to be written of it was written or is held by it. It must
   * not be used afterwards: its place is free for another request.
   *
   * @return whether replies that were held for this moment follow, which {@link #advance} writes
   */
  boolean completed(Exchange exchange);

  /**
   * Puts another exchange in the place of one whose server has not answered in time.
   *
   * @return the other, to be answered and completed by the caller
   */
  Exchange standIn(Exchange late);

  /** Writes the held replies whose turn has come. */
  void advance();

  /** Counts bytes that exchanges hold for this requester; negative: no longer. */
  void hold(long delta);

  /**
   * Whether so much waits for this requester that no more should be read of the reply to exchange,
   * which is one of its requests, or a part of one. Of the reply that it needs next, whatever it is
   * that waits behind it, only what was written and not taken counts; so for null. When the process
   * has buffered too much, everything counts.
   */
  boolean isCongested(Exchange exchange);

  /**
   * A server connection stops reading because of this requester, which must resume it once.
   *
   * @return false if it is known already
   */
  boolean congests(Resumable server);

  /** Whether server has not been resumed since it was told by {@link #congests} that it may not. */
  boolean holdsUp(Resumable server);

  /**
   * The answer to exchange that says why it has no other, in the requester's dialect. The caller
   * owns the result.
   */
  ByteBuf failureReply(Exchange exchange, String reason);

  /** A reply of which bytes have been written will never be whole: only closing is left. */
  void abandon(String reason);

  /** Something that is resumed when its requester takes bytes again, or is gone. */
  interface Resumable {
    /** The first request of requester whose reply has not been read to its end, or null. */
    Exchange nextOf(Requester requester);

    void resumed();
  }
}
