package sluice.gateway.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509TrustManager;

/** An authority of one test, and what it signs, as PEM files in a directory. */
public final class Certificates {
  private static final char[] NO_PASSWORD = new char[0];

  private final Path directory;
  private final String name;
  private final X509Bundle authority;

  private Certificates(Path directory, String name) throws Exception {
    this.directory = directory;
    this.name = name;
    this.authority =
        new CertificateBuilder()
            .subject("CN=" + name)
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    write(name + ".crt", authority.getCertificatePEM());
  }

  /** An authority whose certificate is in {@code NAME.crt}. */
  public static Certificates of(Path directory, String name) throws Exception {
    return new Certificates(directory, name);
  }

  private void write(String file, String content) throws IOException {
    Files.writeString(directory.resolve(file), content);
  }

  /** Signs one that is for 127.0.0.1 and localhost: {@code NAME.crt} and {@code NAME.key}. */
  public X509Bundle issue(String subject) throws Exception {
    return issue(
        subject, builder -> builder.addSanIpAddress("127.0.0.1").addSanDnsName("localhost"));
  }

  /** Signs one that is for whom and when the change says. */
  public X509Bundle issue(String subject, UnaryOperator<CertificateBuilder> change)
      throws Exception {
    X509Bundle issued =
        change.apply(new CertificateBuilder().subject("CN=" + subject)).buildIssuedBy(authority);
    write(subject + ".crt", issued.getCertificatePathPEM());
    write(subject + ".key", issued.getPrivateKeyPEM());
    return issued;
  }

  /** The keys of a section that name what was issued: {@code certificate: ..., key: ...}. */
  public String identity(String subject) {
    return "certificate: %s, key: %s"
        .formatted(directory.resolve(subject + ".crt"), directory.resolve(subject + ".key"));
  }

  /** The file of the authority. */
  public Path file() {
    return directory.resolve(name + ".crt");
  }

  /**
   * TLS of a test's own that trusts this authority alone.
   *
   * @param shown null if it has no certificate
   */
  public SSLContext context(X509Bundle shown) throws Exception {
    return context(shown, authority.toTrustManagerFactory().getTrustManagers());
  }

  /** TLS of a test's own that takes whatever certificate it is shown. */
  public static SSLContext trustful(X509Bundle shown) throws Exception {
    return context(shown, new TrustManager[] {new Trustful()});
  }

  private static SSLContext context(X509Bundle shown, TrustManager[] trust) throws Exception {
    KeyManager[] keys = null;
    if (shown != null) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null);
      store.setKeyEntry(
          "shown", shown.getKeyPair().getPrivate(), NO_PASSWORD, shown.getCertificatePath());
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(store, NO_PASSWORD);
      keys = new KeyManager[] {new Insistent((X509ExtendedKeyManager) factory.getKeyManagers()[0])};
    }
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys, trust, null);
    return context;
  }

  /** Shows its certificate to whoever asks for one, of whatever authority. */
  private static final class Insistent extends X509ExtendedKeyManager {
    private final X509ExtendedKeyManager keys;

    Insistent(X509ExtendedKeyManager keys) {
      this.keys = keys;
    }

    @Override
    public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
      return "shown";
    }

    @Override
    public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
      return keys.chooseServerAlias(type, issuers, socket);
    }

    @Override
    public String[] getClientAliases(String type, Principal[] issuers) {
      return keys.getClientAliases(type, issuers);
    }

    @Override
    public String[] getServerAliases(String type, Principal[] issuers) {
      return keys.getServerAliases(type, issuers);
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
      return keys.getCertificateChain(alias);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
      return keys.getPrivateKey(alias);
    }
  }

  private static final class Trustful implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
