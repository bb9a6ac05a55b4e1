package sluice.ring;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;

/**
 * What the nodes of a ring, and what is between them, show each other and trust: certificates of
 * one authority, for the addresses at which each is connected to.
 */
final class RingKeys {

  private static final String PASSWORD = "cassandra";

  private final Path directory;

  RingKeys(Path directory, Loopback network) {
    this.directory = directory;
    try {
      X509Bundle authority =
          new CertificateBuilder()
              .subject("CN=ring")
              .setIsCertificateAuthority(true)
              .buildSelfSigned();
      X509Bundle nodes = issue("nodes", authority, network.host(2), network.host(3));
      X509Bundle gateway = issue("gateway", authority, network.host(12), network.host(13));
      write("nodes.p12", nodes.toKeyStore(PASSWORD.toCharArray()));
      write("trusted.p12", trusted(authority));
      Files.writeString(directory.resolve("ca.crt"), authority.getCertificatePEM());
      Files.writeString(directory.resolve("gateway.crt"), gateway.getCertificatePathPEM());
      Files.writeString(directory.resolve("gateway.key"), gateway.getPrivateKeyPEM());
    } catch (Exception e) {
      throw new IllegalStateException("the ring's certificates cannot be made", e);
    }
  }

  private static X509Bundle issue(String name, X509Bundle authority, InetAddress... addresses)
      throws Exception {
    CertificateBuilder builder = new CertificateBuilder().rsa2048().subject("CN=" + name);
    for (InetAddress address : addresses) {
      builder.addSanIpAddress(address);
    }
    return builder.buildIssuedBy(authority);
  }

  private static KeyStore trusted(X509Bundle authority) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setCertificateEntry("ring", authority.getCertificate());
    return store;
  }

  private void write(String file, KeyStore store) throws Exception {
    try (OutputStream out = Files.newOutputStream(directory.resolve(file))) {
      store.store(out, PASSWORD.toCharArray());
    }
  }

  /** For the nodes' {@code cassandra.yaml}: TLS everywhere, with certificates on both sides. */
  String encryptionOptions() {
    return """
    server_encryption_options:
      internode_encryption: all
      optional: false
      require_client_auth: true
      store_type: PKCS12
      keystore: %s
      keystore_password: %s
      truststore: %s
      truststore_password: %s
    """
        .formatted(
            directory.resolve("nodes.p12"), PASSWORD, directory.resolve("trusted.p12"), PASSWORD);
  }

  /** The gateway's {@code tls} towards nodes that connect. */
  String listenerTls() {
    return "{certificate: gateway.crt, key: gateway.key, clientCa: ca.crt}";
  }

  /** The gateway's {@code tls} towards nodes that it connects to, whose addresses are verified. */
  String poolTls() {
    return "{certificate: gateway.crt, key: gateway.key, ca: ca.crt}";
  }
}
