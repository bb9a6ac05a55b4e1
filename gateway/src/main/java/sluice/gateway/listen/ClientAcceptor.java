package sluice.gateway.listen;

import io.netty.channel.Channel;
import io.vertx.core.net.NetSocket;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.model.ListenerConfig;
import sluice.config.model.ListenerProtocol;
import sluice.gateway.listener.ConnectionHeap;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.ConnectionOutcome;
import sluice.gateway.metrics.LinkOutcome;
import sluice.gateway.net.ClientAddress;
import sluice.gateway.net.Sockets;
import sluice.gateway.tls.TlsAcceptor;

/**
 * Acceptor of a listener's clients on one event loop, for one configuration. It prepares the socket
 * of a new client for the handlers that read the client's protocol.
 */
public final class ClientAcceptor {
  private static final Logger LOG = LoggerFactory.getLogger(ClientAcceptor.class);

  private final ListenerConfig config;
  private final @Nullable TlsAcceptor tls;
  private final Loop loop;
  private final ConnectionHeap heap;
  private int awaited; // connections with an incomplete PROXY header

  /** Connection with an incomplete PROXY header. */
  private final class Awaited implements ProxyHeaderHandler.Owner {
    private final NetSocket socket;
    private final Consumer<NetSocket> reader;
    private final Channel channel;

    Awaited(NetSocket socket, Consumer<NetSocket> reader) {
      this.socket = socket;
      this.reader = reader;
      channel = Sockets.channel(socket);
      awaited++;
    }

    @Override
    public void headerRead(@Nullable InetSocketAddress client) {
      if (client != null) {
        ClientAddress.note(channel, client);
      }
      handOver(socket, reader);
    }

    @Override
    public void headerMissing(String problem) {
      refused(ConnectionOutcome.NO_PROXY_HEADER, LinkOutcome.INVALID);
      LOG.warn(
          "listener {}: {} closed: {}, because its address is in proxyProtocol.from",
          config.name(),
          ClientAddress.of(channel),
          problem);
    }

    @Override
    public void headerEnded() {
      awaited--;
      heap.changes(-ConnectionHeap.PLAIN_BYTES);
    }
  }

  /**
   * @param tls towards its clients; null for none
   * @param heap of the connections of all listeners
   */
  public ClientAcceptor(
      ListenerConfig config, @Nullable TlsAcceptor tls, Loop loop, ConnectionHeap heap) {
    this.config = config;
    this.tls = tls;
    this.loop = loop;
    this.heap = heap;
  }

  /**
   * Takes a client's new socket, on the loop.
   *
   * @param reader installs the handlers of the client's protocol, behind those installed here
   */
  public void accept(NetSocket socket, Consumer<NetSocket> reader) {
    loop.activeNow(); // otherwise earlier time would count as the client's
    socket.exceptionHandler(failure -> {}); // the close handler follows
    Channel channel = Sockets.channel(socket);
    SocketAddress peer = channel.remoteAddress();
    ClientAddress.note(channel, peer);
    if (isProxy(peer)) {
      awaitHeader(socket, reader);
    } else {
      handOver(socket, reader);
    }
  }

  private boolean isProxy(SocketAddress peer) {
    return config.proxyProtocol().isPresent()
        && peer instanceof InetSocketAddress address
        && config.proxyProtocol().get().trusts(address.getAddress());
  }

  /**
   * Waits for a PROXY header. Waiting connections are not among the listener's clients yet, so they
   * have a bound of their own.
   */
  private void awaitHeader(NetSocket socket, Consumer<NetSocket> reader) {
    if (awaited >= config.limits().connections() || !heap.takes(ConnectionHeap.PLAIN_BYTES)) {
      refused(ConnectionOutcome.REFUSED, LinkOutcome.REFUSED);
      Sockets.channel(socket).close();
      return;
    }
    ProxyHeaderHandler header =
        new ProxyHeaderHandler(
            new Awaited(socket, reader), loop::buffered, config.limits().handshakeMillis());
    socket.shutdownHandler(draining -> header.abandon());
    Sockets.channel(socket).pipeline().addFirst("proxy header", header);
  }

  private void refused(ConnectionOutcome ofClient, LinkOutcome ofLink) {
    if (config.protocol() == ListenerProtocol.INTERNODE) {
      loop.metrics().internode(config.name()).began(ofLink);
    } else {
      loop.metrics().listener(config.name()).connectionRefused(ofClient);
    }
  }

  private void handOver(NetSocket socket, Consumer<NetSocket> reader) {
    // a draining client is closed once its requests are answered
    socket.shutdownHandler(draining -> {});
    if (tls != null) {
      tls.secure(socket, loop, config.limits().handshakeMillis());
    }
    reader.accept(socket);
  }
}
