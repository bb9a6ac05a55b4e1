package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.ServerVersion;

/** New connection to a server, for its probe. */
public interface Probed {
  /** Sends the probe's next request. Consumes bytes. */
  void send(ByteBuf bytes);

  /** The server has reported its version. */
  void version(ServerVersion version);

  /** Sets whether the server is memcached itself, not a server of a similar protocol. */
  default void isMemcached(boolean memcached) {}

  /** The server refused the login. */
  void loginRefused(String answer);

  /**
   * The connection is unusable.
   *
   * @param reason for clients
   * @param detail for logs
   */
  void fail(String reason, String detail);
}
