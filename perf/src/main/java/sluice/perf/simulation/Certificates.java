package sluice.perf.simulation;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.system.TlsEnd;

/**
 * Certificates of simulated gateways and servers, and their keys. Each process makes them once. A
 * certificate always has the same length, because lengths are part of a simulation's hash.
 */
final class Certificates {
  /** The number of certificates, which a gateway may change between. */
  static final int COUNT = 2;

  /** The name of servers, which their certificates have, too. */
  static final String NAME = "cache.simulation";

  private static final String DIRECTORY = "CERTIFICATES"; // in configurations
  private static final BigInteger SERIAL = BigInteger.valueOf(1L << 40);
  private static final Instant NOT_BEFORE = Instant.parse("2020-01-01T00:00:00Z");
  private static final Instant NOT_AFTER = Instant.parse("2049-01-01T00:00:00Z");

  /** With none for TLS 1.2, versions of Java offer different signature schemes. */
  private static final String[] CIPHER_SUITES = {
    "TLS_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
  };

  private static final List<X509Bundle> issued = new ArrayList<>();
  private static @Nullable SSLContext context;

  private Certificates() {}

  /** The file of a certificate, from 0, as a configuration names it. */
  static String certificate(int number) {
    return '"' + DIRECTORY + '/' + number + ".pem\"";
  }

  /** The file of its key. */
  static String key(int number) {
    return '"' + DIRECTORY + '/' + number + ".key\"";
  }

  /** The file of all certificates, which clients trust. */
  static String trusted() {
    return '"' + DIRECTORY + "/all.pem\"";
  }

  /** A configuration with the paths of the files as they are in this process. */
  static synchronized String in(String yaml) {
    if (!yaml.contains(DIRECTORY)) {
      return yaml;
    }
    ensureWritten();
    return yaml.replace(DIRECTORY, TemporaryFiles.directory().toString());
  }

  /** TLS of a client that trusts these certificates, and presents one if it is asked. */
  static TlsEnd client() {
    return end(true);
  }

  /** TLS of a server that has one of them. */
  static TlsEnd server() {
    return end(false);
  }

  /** The same of a server whose clients need one, too. */
  static TlsEnd mutualServer() {
    SSLEngine engine = engine(false);
    engine.setNeedClientAuth(true);
    return new TlsEnd(engine);
  }

  private static TlsEnd end(boolean client) {
    return new TlsEnd(engine(client));
  }

  private static SSLEngine engine(boolean client) {
    try {
      SSLEngine engine = context().createSSLEngine(); // no name of a peer: no session is kept
      engine.setUseClientMode(client);
      engine.setEnabledCipherSuites(CIPHER_SUITES);
      return engine;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("no TLS could be made", e);
    }
  }

  private static synchronized SSLContext context() throws GeneralSecurityException, IOException {
    if (context == null) {
      ensureWritten();
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      try (InputStream file = Files.newInputStream(TemporaryFiles.directory().resolve("all.pem"))) {
        int number = 0;
        for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(file)) {
          store.setCertificateEntry("gateway-" + number++, one);
        }
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      KeyManager[] keys = issued.get(0).toKeyManagerFactory().getKeyManagers();
      SSLContext made = SSLContext.getInstance("TLSv1.3");
      made.init(keys, trust.getTrustManagers(), null);
      context = made;
    }
    return context;
  }

  private static void ensureWritten() {
    if (issued.isEmpty()) {
      write();
    }
  }

  private static void write() {
    try {
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < COUNT; i++) {
        X509Bundle bundle = issue(i);
        issued.add(bundle);
        TemporaryFiles.write(i + ".pem", bundle.getCertificatePEM());
        TemporaryFiles.write(i + ".key", bundle.getPrivateKeyPEM());
        all.append(bundle.getCertificatePEM()).append('\n');
      }
      TemporaryFiles.write("all.pem", all.toString());
    } catch (Exception e) {
      throw new IllegalStateException("no certificate could be made", e);
    }
  }

  private static X509Bundle issue(int number) throws Exception {
    return new CertificateBuilder()
        .rsa2048() // other signatures vary in length
        .subject("CN=gateway-" + number)
        .serial(SERIAL)
        .notBefore(NOT_BEFORE)
        .notAfter(NOT_AFTER)
        .addSanIpAddress("10.0.0.1")
        .addSanDnsName(NAME)
        .setIsCertificateAuthority(true)
        .buildSelfSigned();
  }
}
