package sluice.gateway.tls;

import io.netty.handler.ssl.SslContext;
import io.netty.util.NetUtil;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongConsumer;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import sluice.config.model.ListenerTlsConfig;
import sluice.config.model.PoolTlsConfig;
import sluice.config.model.TlsAuthorities;
import sluice.gateway.net.Sockets;

/** TLS towards servers, whose certificates are always verified. Thread-safe. */
public final class TlsConnector {
  private static final String NAME_AND_CHAIN = "HTTPS"; // RFC 2818, 3.1: what Java calls it
  private static final String CHAIN = "";

  private final SslContext context;
  private final Optional<String> serverName;
  private final String verified;

  /**
   * The TLS of a pool: certificates must name its {@code serverName}, or the host that is connected
   * to.
   *
   * @throws IllegalStateException if Java cannot do what is asked of it
   */
  public TlsConnector(PoolTlsConfig tls) {
    context = TlsContexts.client(tls.ca(), tls.identity());
    serverName = tls.serverName();
    verified = NAME_AND_CHAIN;
  }

  private TlsConnector(SslContext context, Optional<String> serverName, String verified) {
    this.context = context;
    this.serverName = serverName;
    this.verified = verified;
  }

  /** The same towards a server whose certificate names host, unless the pool says what it names. */
  public TlsConnector towards(String host) {
    return serverName.isPresent() ? this : new TlsConnector(context, Optional.of(host), verified);
  }

  /** Whether both verify the same, and share sessions. */
  @Override
  public boolean equals(Object other) {
    return other instanceof TlsConnector connector
        && context == connector.context
        && serverName.equals(connector.serverName)
        && verified.equals(connector.verified);
  }

  @Override
  public int hashCode() {
    return Objects.hash(System.identityHashCode(context), serverName);
  }

  /**
   * TLS towards nodes that no pool leads to, as the one that a listener stands for: with its
   * certificate, and trusting whom the listener would let in, whatever address the certificate is
   * for.
   *
   * @param others who is trusted where the listener asks for no certificates
   */
  public static TlsConnector asNodeOf(ListenerTlsConfig listener, Optional<TlsAuthorities> others) {
    return new TlsConnector(
        TlsContexts.client(listener.clientCa().or(() -> others), Optional.of(listener.identity())),
        Optional.empty(),
        CHAIN);
  }

  /**
   * Begins TLS on a socket that was connected to address and that nothing is installed on yet.
   *
   * @param buffered told how many bytes more are held for it; negative: fewer
   * @param handshakeMillis how long the handshake may take
   * @return completes with the socket before anything else is read from it; fails with a {@link
   *     TlsException}, and the socket is closed then
   */
  Future<NetSocket> secure(
      NetSocket socket, SocketAddress address, LongConsumer buffered, long handshakeMillis) {
    TlsRecords records = new TlsRecords(engine(address), handshakeMillis);
    Promise<NetSocket> secured = Promise.promise();
    Sockets.installTls(socket, records, new TlsGate(buffered, records, socket, secured));
    return secured.future();
  }

  private SSLEngine engine(SocketAddress address) {
    String name = serverName.orElse(address.host());
    if (name.endsWith(".")) {
      name = name.substring(0, name.length() - 1); // certificates name hosts without
    }
    SSLEngine engine = context.newEngine(Sockets.allocator(), name, address.port());
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm(verified);
    parameters.setServerNames(asked(name));
    engine.setSSLParameters(parameters);
    return engine;
  }

  /** The server name indication: Java itself leaves out names without a dot. */
  private static List<SNIServerName> asked(String name) {
    if (NetUtil.isValidIpV4Address(name) || NetUtil.isValidIpV6Address(name)) {
      return List.of();
    }
    try {
      return List.of(new SNIHostName(name));
    } catch (IllegalArgumentException e) {
      return List.of(); // one with a _, say, which RFC 6066 has no room for
    }
  }
}
