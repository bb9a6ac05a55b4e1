package sluice.gateway.tls;

import io.netty.handler.ssl.SslContext;
import io.vertx.core.net.NetSocket;
import sluice.config.model.ListenerTlsConfig;
import sluice.gateway.loop.Loop;
import sluice.gateway.net.Sockets;

/** TLS towards the clients of a listener. Thread-safe. */
public final class TlsAcceptor {
  private final SslContext context;
  private final boolean plain;

  /**
   * The TLS of a listener.
   *
   * @throws IllegalStateException if Java does not support the settings
   */
  public TlsAcceptor(ListenerTlsConfig tls) {
    context = TlsContexts.server(tls);
    plain = tls.plain();
  }

  /**
   * Terminates TLS in front of the handlers that are {@linkplain Sockets#install installed} next on
   * an accepted socket. They read plain bytes after the handshake. Their {@code exceptionCaught}
   * gets a {@link TlsException} once if TLS fails. Their earlier writes wait. In every case the
   * socket is closed in the end.
   *
   * <p>Where TLS is optional, a connection that does not begin with TLS is left unchanged.
   *
   * @param handshakeMillis how long the handshake may take, counted from the first byte where that
   *     byte decides
   */
  public void secure(NetSocket socket, Loop loop, long handshakeMillis) {
    if (plain) {
      Sockets.installFirst(socket, new PlainOrTls(() -> records(handshakeMillis), socket, loop));
    } else {
      TlsRecords records = records(handshakeMillis);
      Sockets.installTls(socket, records, TlsGate.ofClient(records, socket, loop));
    }
  }

  private TlsRecords records(long handshakeMillis) {
    return new TlsRecords(context.newEngine(Sockets.allocator()), handshakeMillis);
  }
}
