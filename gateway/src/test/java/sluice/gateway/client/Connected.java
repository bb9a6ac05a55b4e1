package sluice.gateway.client;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.function.Function;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.session.LoopState;

/** A client on an embedded channel: its connection, and what its requests are made with. */
public record Connected(
    EmbeddedChannel channel, ClientConnection connection, ConnectedClient client) {

  /** A client that has connected by channel. */
  public static Connected by(
      EmbeddedChannel channel,
      LoopState loopState,
      ListenerView listenerView,
      Function<ConnectedClient, DialectReader> dialect) {
    ConnectedClient[] seen = new ConnectedClient[1];
    ClientConnection connection =
        new ClientConnection(
            loopState,
            listenerView,
            client -> {
              seen[0] = client;
              return dialect.apply(client);
            });
    channel.pipeline().addLast(connection);
    return new Connected(channel, connection, seen[0]);
  }
}
