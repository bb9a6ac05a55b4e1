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
  private static final String NAME_AND_CHAIN = "HTTPS"; // RFC 2818, 3.1, by Java's name for it
  private static final String CHAIN = "";

  private final SslContext context;
  private final Optional<String> serverName;
  private final String verified;

  /**
   * The TLS of a pool: certificates must name its {@code serverName}, or the host being connected
   * to.
   *
   * @throws IllegalStateException if Java does not support the settings
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

  /** The same for a server whose certificate names host, unless the pool sets a name. */
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
   * TLS towards nodes without a pool, in the role of a listener's node. It uses the listener's
   * certificate and the authorities that the listener trusts. The certificate may be for any
   * address.
   *
   * @param others authorities if the listener requests no certificates
   */
  public static TlsConnector asNodeOf(ListenerTlsConfig listener, Optional<TlsAuthorities> others) {
    return new TlsConnector(
        TlsContexts.client(listener.clientCa().or(() -> others), Optional.of(listener.identity())),
        Optional.empty(),
        CHAIN);
  }

  /**
   * Begins TLS on a socket that is connected to address and has no handlers yet.
   *
   * @param buffered receives changes of the bytes buffered for it; negative: fewer
   * @param handshakeMillis how long the handshake may take
   * @return completes with the socket before any application data is read; fails with a {@link
   *     TlsException}, and then the socket is closed
   */
  Future<NetSocket> secure(
      NetSocket socket, SocketAddress address, LongConsumer buffered, long handshakeMillis) {
    TlsRecords records = new TlsRecords(engine(address), handshakeMillis);
    Promise<NetSocket> secured = Promise.promise();
    Sockets.installTls(socket, records, new TlsGate(buffered, records, socket, secured, null));
    return secured.future();
  }

  private SSLEngine engine(SocketAddress address) {
    String name = serverName.orElse(address.host());
    if (name.endsWith(".")) {
      // certificates contain hosts without the final dot
      name = name.substring(0, name.length() - 1);
    }
    SSLEngine engine = context.newEngine(Sockets.allocator(), name, address.port());
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm(verified);
    parameters.setServerNames(asked(name));
    engine.setSSLParameters(parameters);
    return engine;
  }

  /** The server name indication; Java itself omits names without a dot. */
  private static List<SNIServerName> asked(String name) {
    if (NetUtil.isValidIpV4Address(name) || NetUtil.isValidIpV6Address(name)) {
      return List.of();
    }
    try {
      return List.of(new SNIHostName(name));
    } catch (IllegalArgumentException e) {
      return List.of(); // for example a name with a _, which RFC 6066 does not allow
    }
  }
}
