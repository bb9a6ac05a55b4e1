package sluice.gateway.tls;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLException;
import sluice.config.model.ListenerTlsConfig;
import sluice.config.model.TlsAuthorities;
import sluice.config.model.TlsIdentity;

/** Settings that all TLS connections share: Java's TLS, 1.2 and 1.3, without ALPN. */
final class TlsContexts {
  /**
   * Sessions that can be resumed; Java would keep 20,480 for each listener and pool, some KiB each.
   */
  private static final long MOST_SESSIONS = 1024;

  static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

  static {
    Renegotiation.refuse(); // for users of this class that start no gateway
  }

  private TlsContexts() {}

  static SslContext server(ListenerTlsConfig tls) {
    TlsIdentity identity = tls.identity();
    ClientAuth clientAuth =
        switch (tls.clientAuth()) {
          case NONE -> ClientAuth.NONE;
          case REQUEST -> ClientAuth.OPTIONAL;
          case REQUIRE -> ClientAuth.REQUIRE;
        };
    SslContextBuilder builder =
        SslContextBuilder.forServer(identity.key(), chain(identity)).clientAuth(clientAuth);
    if (clientAuth != ClientAuth.NONE) {
      trust(builder, tls.clientCa());
    }
    return build(builder);
  }

  static SslContext client(Optional<TlsAuthorities> trusted, Optional<TlsIdentity> identity) {
    SslContextBuilder builder = SslContextBuilder.forClient();
    identity.ifPresent(shown -> builder.keyManager(shown.key(), chain(shown)));
    trust(builder, trusted);
    return build(builder);
  }

  private static X509Certificate[] chain(TlsIdentity identity) {
    return identity.chain().toArray(X509Certificate[]::new);
  }

  private static void trust(SslContextBuilder builder, Optional<TlsAuthorities> trusted) {
    try {
      builder.trustManager(CertificateCheck.by(trusted));
    } catch (GeneralSecurityException e) {
      throw unusable(e);
    }
  }

  private static SslContext build(SslContextBuilder builder) {
    try {
      return builder
          .sslProvider(SslProvider.JDK)
          .protocols(PROTOCOLS)
          .sessionCacheSize(MOST_SESSIONS)
          .build();
    } catch (SSLException e) {
      throw unusable(e);
    }
  }

  private static IllegalStateException unusable(Exception cause) {
    return new IllegalStateException("TLS cannot be set up: " + cause.getMessage(), cause);
  }
}
