package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;

/**
 * The bytes of one link behind its handshake, both ways: frames of messages, a stream whose
 * addresses are replaced, or bytes that pass as they are.
 */
interface LinkTraffic {
  /** Takes what the initiator sent. Consumes bytes. */
  void fromInitiator(ByteBuf bytes);

  /** Processes bytes from the server. Consumes bytes. */
  void fromServer(ByteBuf bytes);

  /** Bytes that wait for the rest of their message. */
  long heldBytes();

  /** What was written to the server in this loop iteration has been given to its socket. */
  default void flushed() {}

  /** Goes over to what a newer configuration says, where the next message begins. */
  default void follow(LinkListening newest) {}

  /** Called every now and then: ends the link if its time for something is over. */
  default void sweep() {}

  /** Lets nothing begin any more behind the message that is under way. */
  default void leave() {}

  /**
   * Whether the link may end now without cutting a message.
   *
   * @param silentNanos since something was read from either side
   */
  boolean hasLeft(long silentNanos);

  /** Carries an answer in the name of the initiator; false if it carries no messages. */
  default boolean answer(Rejected rejected) {
    return false;
  }

  /** Releases what has not left. What still comes is released, too. */
  void close();
}
