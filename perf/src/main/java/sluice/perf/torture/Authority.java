package sluice.perf.torture;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;

/** Signs all certificates of a run. */
final class Authority {
  private final X509Bundle own;

  Authority() throws Exception {
    own =
        new CertificateBuilder()
            .subject("CN=torture")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
  }

  /** Signs a new one for 127.0.0.1. */
  X509Bundle issue(String name) throws Exception {
    return new CertificateBuilder()
        .subject("CN=" + name)
        .addSanIpAddress("127.0.0.1")
        .buildIssuedBy(own);
  }

  /** Its own certificate, as PEM. */
  String pem() {
    return own.getCertificatePEM();
  }

  /** TLS of a server with a new certificate, which requires one from its clients. */
  SslContext server(String name) throws Exception {
    X509Bundle issued = issue(name);
    return SslContextBuilder.forServer(
            issued.getKeyPair().getPrivate(), issued.getCertificatePath())
        .sslProvider(SslProvider.JDK)
        .trustManager(own.getCertificate())
        .clientAuth(ClientAuth.REQUIRE)
        .build();
  }

  /** TLS of a client that trusts what was signed here. */
  SslContext client() throws Exception {
    return SslContextBuilder.forClient()
        .sslProvider(SslProvider.JDK)
        .trustManager(own.getCertificate())
        .build();
  }

  /** The same for sockets that block. */
  SSLSocketFactory sockets() throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, own.toTrustManagerFactory().getTrustManagers(), null);
    return context.getSocketFactory();
  }
}
