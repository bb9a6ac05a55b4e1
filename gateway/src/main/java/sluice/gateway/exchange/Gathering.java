package sluice.gateway.exchange;

import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Reply;

/**
 * A request that is answered by several servers: its parts are exchanges of their own, and what
 * they bring is put together here. Owned by the client's connection.
 */
public interface Gathering {
  /**
   * A value of part's reply has been read to its end: the one of the part's key {@code key}, which
   * is so many bytes behind those of the values before. They are held when {@link #arrived} or
   * {@link #partCompleted} is called.
   */
  default void value(Exchange part, int key, int bytes) {}

  /** What has been read of part's reply is held. */
  default void arrived(Exchange part) {}

  /** Part was refused with an error line, without its line end; its completion follows. */
  default void errorLine(Exchange part, String line) {}

  /**
   * Whether it is told of values and error lines of what its parts read. If not, parts hold their
   * replies whole, errors among them, and {@link #partCompleted} alone is called.
   */
  default boolean isToldOfValues() {
    return true;
  }

  /** Part is complete; failure says why it has no reply, or is null. */
  void partCompleted(Exchange part, String failure);

  /** Whether nothing can be put together before more of this part's reply has come. */
  boolean awaits(Exchange part);

  /** The request it has to bring a reply to has left its server's queue, and is split into this. */
  default void begin() {}

  /** It is the turn of the reply that this brings: what was put off until then begins. */
  default void turn() {}

  /** Whether it is the turn of what part's reply is for. */
  default boolean isTurnOf(Exchange part) {
    return false;
  }

  /**
   * Whether its turn has come and it has asked for more: nothing that waits behind it may keep that
   * from being read.
   */
  default boolean isJoining() {
    return false;
  }

  /** Whether some of it has been asked for and is not answered. */
  default boolean isAsking() {
    return true;
  }

  /** Nobody waits any more: releases and forgets all parts. */
  void cancel();

  /** Looks at values that servers have sent, which may stand for others that are asked for next. */
  interface Continuation {
    /**
     * Looks at the value of a reply, which is whole.
     *
     * @param exchange whose reply it is, and which somebody waits for
     * @param reply what goes with the value; its flags may be changed
     * @param value borrowed; it is empty if the result is not null
     * @return what brings the reply in the place of this one, once it is told to {@link
     *     Gathering#begin}; the caller owns it until then, and may cancel it. Null if the value is
     *     what was asked for
     */
    Gathering of(Exchange exchange, Reply reply, SliceList value);
  }
}
