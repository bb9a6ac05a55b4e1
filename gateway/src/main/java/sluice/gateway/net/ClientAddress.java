package sluice.gateway.net;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.net.SocketAddress;

/** Address by which logs know the client of a channel, also after the channel has closed. */
public final class ClientAddress {
  private static final AttributeKey<SocketAddress> KEY =
      AttributeKey.valueOf(ClientAddress.class, "noted");

  private ClientAddress() {}

  /** Notes who the client of a channel is. */
  public static void note(Channel channel, SocketAddress address) {
    channel.attr(KEY).set(address);
  }

  /** The address that was noted last; that of the socket's other end if none was, or null. */
  public static SocketAddress of(Channel channel) {
    SocketAddress noted = channel.attr(KEY).get();
    return noted == null ? channel.remoteAddress() : noted;
  }
}
