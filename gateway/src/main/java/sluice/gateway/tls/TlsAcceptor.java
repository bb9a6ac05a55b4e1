package sluice.gateway.tls;

import io.netty.handler.ssl.SslContext;
import io.vertx.core.net.NetSocket;
import sluice.config.model.ListenerTlsConfig;
import sluice.gateway.loop.Loop;
import sluice.gateway.net.Sockets;

/** TLS towards those who connect to a listener. Thread-safe. */
public final class TlsAcceptor {
  private final SslContext context;
  private final boolean plain;

  /**
   * The TLS of a listener.
   *
   * @throws IllegalStateException if Java cannot do what is asked of it
   */
  public TlsAcceptor(ListenerTlsConfig tls) {
    context = TlsContexts.server(tls);
    plain = tls.plain();
  }

  /**
   * Terminates TLS in front of whatever is {@linkplain Sockets#install installed} on an accepted
   * socket next: it reads plain bytes, once the handshake is done, and its {@code exceptionCaught}
   * is told of a failure by a {@link TlsException}, once. What it writes before waits. The socket
   * is closed in any case.
   *
   * <p>Where clients may come without, what does not begin as TLS is left as it is.
   *
   * @param handshakeMillis how long the handshake may take, from the first byte where that decides
   */
  public void secure(NetSocket socket, Loop loop, long handshakeMillis) {
    if (plain) {
      Sockets.installFirst(socket, new PlainOrTls(() -> records(handshakeMillis), socket, loop));
    } else {
      TlsRecords records = records(handshakeMillis);
      Sockets.installTls(socket, records, new TlsGate(loop::buffered, records, socket, null));
    }
  }

  private TlsRecords records(long handshakeMillis) {
    return new TlsRecords(context.newEngine(Sockets.allocator()), handshakeMillis);
  }
}
