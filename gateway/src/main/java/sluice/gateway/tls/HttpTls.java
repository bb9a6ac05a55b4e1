package sluice.gateway.tls;

import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import sluice.config.model.ListenerTlsConfig;
import sluice.config.model.TlsIdentity;

/** TLS of Vert.x's HTTP server, with the same settings as listeners: 1.2 and 1.3, no ALPN. */
public final class HttpTls {
  private static final int HANDSHAKE_SECONDS = 5;

  private HttpTls() {}

  /**
   * Options for a running server.
   *
   * @throws IllegalStateException if Java does not support the settings
   */
  public static ServerSSLOptions options(ListenerTlsConfig tls) {
    ClientAuth clientAuth =
        switch (tls.clientAuth()) {
          case NONE -> ClientAuth.NONE;
          case REQUEST -> ClientAuth.REQUEST;
          case REQUIRE -> ClientAuth.REQUIRED;
        };
    try {
      ServerSSLOptions options =
          new ServerSSLOptions()
              .setKeyCertOptions(KeyCertOptions.wrap(keys(tls.identity())))
              .setClientAuth(clientAuth)
              .setEnabledSecureTransportProtocols(Set.of(TlsContexts.PROTOCOLS))
              .setUseAlpn(false)
              .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
              .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS);
      return clientAuth == ClientAuth.NONE
          ? options
          : options.setTrustOptions(TrustOptions.wrap(CertificateCheck.by(tls.clientCa())));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("TLS cannot be set up: " + e.getMessage(), e);
    }
  }

  /** Adds TLS to the options of a server before it is created. */
  public static HttpServerOptions apply(ListenerTlsConfig tls, HttpServerOptions server) {
    ServerSSLOptions options = options(tls);
    return server
        .setSsl(true)
        .setKeyCertOptions(options.getKeyCertOptions())
        .setTrustOptions(options.getTrustOptions())
        .setClientAuth(options.getClientAuth())
        .setEnabledSecureTransportProtocols(options.getEnabledSecureTransportProtocols())
        .setUseAlpn(false)
        .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
        .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS);
  }

  private static KeyManagerFactory keys(TlsIdentity identity) throws GeneralSecurityException {
    char[] noPassword = new char[0];
    KeyStore store = KeyStore.getInstance("PKCS12");
    try {
      store.load(null);
    } catch (IOException e) {
      throw new GeneralSecurityException(e); // cannot happen: nothing is read
    }
    store.setKeyEntry(
        "shown", identity.key(), noPassword, identity.chain().toArray(Certificate[]::new));
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, noPassword);
    return factory;
  }
}
