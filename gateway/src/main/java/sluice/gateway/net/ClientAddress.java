package sluice.gateway.net;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Address of a channel's client for logs, available also after the channel has closed. */
public final class ClientAddress {
  private static final AttributeKey<SocketAddress> KEY =
      AttributeKey.valueOf(ClientAddress.class, "noted");

  private ClientAddress() {}

  /** Sets the address of a channel's client. */
  public static void note(Channel channel, SocketAddress address) {
    channel.attr(KEY).set(address);
  }

  /** The address that was set last; without one, the peer's address, or null. */
  public static @Nullable SocketAddress of(Channel channel) {
    SocketAddress noted = channel.attr(KEY).get();
    return noted == null ? channel.remoteAddress() : noted;
  }
}
