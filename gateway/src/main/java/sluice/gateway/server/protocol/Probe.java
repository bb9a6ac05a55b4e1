package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;

/** Conversation on a new connection that finds out what the server is, and logs in if it must. */
public interface Probe {
  /** Asks the first question; called once, when the connection is open. */
  void send();

  /**
   * Reads what the server answers. Borrows bytes.
   *
   * @return whether the answer is whole, and good
   * @throws sluice.codecs.ProtocolException if it is none
   */
  boolean read(ByteBuf bytes);

  /** Releases what has been read of an answer. */
  void release();
}
