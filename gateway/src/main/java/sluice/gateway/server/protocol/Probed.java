package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.ServerVersion;

/** A new connection to a server, as the probe sees it that asks what the server is. */
public interface Probed {
  /** Sends the probe's next question. Consumes bytes. */
  void send(ByteBuf bytes);

  /** The server has told its version. */
  void version(ServerVersion version);

  /** The server says whether it is memcached itself, not something that speaks like it. */
  default void isMemcached(boolean memcached) {}

  /** The server did not take the login. */
  void loginRefused(String answer);

  /**
   * The connection is of no use.
   *
   * @param reason as clients are told
   * @param detail as people are told
   */
  void fail(String reason, String detail);
}
