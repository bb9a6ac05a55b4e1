package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Conversation on a new connection that determines the server's version, and logs in if necessary.
 */
public interface Probe {
  /** Sends the first request; called once, when the connection is open. */
  void send();

  /**
   * Reads the server's answer. Borrows bytes.
   *
   * @return whether the probe is complete and successful
   * @throws sluice.codecs.ProtocolException if it is no valid answer
   */
  boolean read(ByteBuf bytes);

  /** Releases the bytes of an incomplete answer. */
  void release();
}
