package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;

/**
 * Traffic of one link after its handshake, in both directions: frames of messages, a stream whose
 * addresses are replaced, or unchanged bytes.
 */
interface LinkTraffic {
  /** Processes bytes from the initiator. Consumes bytes. */
  void fromInitiator(ByteBuf bytes);

  /** Processes bytes from the server. Consumes bytes. */
  void fromServer(ByteBuf bytes);

  /** Bytes that wait for the rest of their message. */
  long heldBytes();

  /**
   * Number of what most of {@link #heldBytes} belong to. It is another one as soon as that frame or
   * message is complete.
   */
  default long heldUnit() {
    return 0;
  }

  /** Whether most of {@link #heldBytes} came from the server. */
  default boolean holdsMoreOfServer() {
    return false;
  }

  /** Whether bytes that are read may become many more than they are. */
  default boolean mayGrow() {
    return false;
  }

  /** Whether reading a few bytes may take far longer than passing them on. */
  default boolean mayTakeLong() {
    return false;
  }

  /** The bytes written to the server in this loop iteration have been given to its socket. */
  default void flushed() {}

  /** Follows a newer configuration from the beginning of the next message on. */
  default void follow(LinkListenerView newest) {}

  /** Called periodically; ends the link if one of its timeouts has passed. */
  default void sweep() {}

  /** Lets no message begin after the one in transit. */
  default void leave() {}

  /**
   * Whether the link may end now without cutting a message.
   *
   * @param silentNanos time since bytes were read from either side
   */
  boolean hasLeft(long silentNanos);

  /**
   * Sends an answer in the name of the initiator; returns false if the link carries no messages.
   */
  default boolean answer(Rejected rejected) {
    return false;
  }

  /** Releases bytes that were not sent. Bytes that still come are released, too. */
  void close();
}
