package sluice.perf.simulation;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.math.BigInteger;
import java.time.Instant;

/**
 * Files with the certificates of simulated gateways, and their keys. Each process makes them once.
 * A certificate always has the same length, because lengths are part of a simulation's hash.
 */
final class Certificates {
  /** The number of certificates, which a gateway may change between. */
  static final int COUNT = 2;

  private static final String DIRECTORY = "CERTIFICATES"; // in configurations
  private static final BigInteger SERIAL = BigInteger.valueOf(1L << 40);
  private static final Instant NOT_BEFORE = Instant.parse("2020-01-01T00:00:00Z");
  private static final Instant NOT_AFTER = Instant.parse("2049-01-01T00:00:00Z");

  private static boolean written;

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
    if (!written) {
      write();
      written = true;
    }
    return yaml.replace(DIRECTORY, TemporaryFiles.directory().toString());
  }

  private static void write() {
    try {
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < COUNT; i++) {
        X509Bundle bundle = issue(i);
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
        .rsa2048() // the length of other signatures varies
        .subject("CN=gateway-" + number)
        .serial(SERIAL)
        .notBefore(NOT_BEFORE)
        .notAfter(NOT_AFTER)
        .addSanIpAddress("10.0.0.1")
        .setIsCertificateAuthority(true)
        .buildSelfSigned();
  }
}
