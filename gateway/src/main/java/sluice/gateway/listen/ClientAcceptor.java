package sluice.gateway.listen;

import io.netty.channel.Channel;
import io.vertx.core.net.NetSocket;
import java.util.function.Consumer;
import sluice.config.model.ListenerConfig;
import sluice.gateway.loop.Loop;
import sluice.gateway.net.ClientAddress;
import sluice.gateway.net.Sockets;
import sluice.gateway.tls.TlsAcceptor;

/**
 * Entrance of a listener on one event loop, as one configuration describes it: prepares the socket
 * of a new client for whatever reads the client's protocol.
 */
public final class ClientAcceptor {
  private final ListenerConfig config;
  private final TlsAcceptor tls;
  private final Loop loop;

  /**
   * The entrance of a listener.
   *
   * @param tls towards its clients; null if they speak without
   */
  public ClientAcceptor(ListenerConfig config, TlsAcceptor tls, Loop loop) {
    this.config = config;
    this.tls = tls;
    this.loop = loop;
  }

  /**
   * Takes a socket that a client has opened, on the loop.
   *
   * @param reader installs what reads the client's protocol, behind what is installed here
   */
  public void accept(NetSocket socket, Consumer<NetSocket> reader) {
    socket.exceptionHandler(failure -> {}); // its close handler follows
    socket.shutdownHandler(draining -> {}); // its worker closes it when it is answered
    Channel channel = Sockets.channel(socket);
    ClientAddress.note(channel, channel.remoteAddress());
    handOver(socket, reader);
  }

  private void handOver(NetSocket socket, Consumer<NetSocket> reader) {
    if (tls != null) {
      tls.secure(socket, loop, config.limits().handshakeMillis());
    }
    reader.accept(socket);
  }
}
