package sluice.perf.simulation;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Files with the certificate of all simulated gateways and its key. Each process makes them once.
 * The certificate always has the same length, because lengths are part of a simulation's hash.
 */
final class Certificates {
  /** Stands for the path of the certificate in a configuration. */
  static final String CERTIFICATE = "CERTIFICATE";

  /** Stands for the path of the key. */
  static final String KEY = "PRIVATE_KEY";

  private static final BigInteger SERIAL = BigInteger.valueOf(1L << 40);
  private static final Instant NOT_BEFORE = Instant.parse("2020-01-01T00:00:00Z");
  private static final Instant NOT_AFTER = Instant.parse("2049-01-01T00:00:00Z");

  private static @Nullable Path directory; // null until it is needed

  private Certificates() {}

  /** A configuration with the paths of the files. */
  static synchronized String in(String yaml) {
    if (!yaml.contains(CERTIFICATE)) {
      return yaml;
    }
    Path files = directory;
    if (files == null) {
      files = write();
      directory = files;
    }
    return yaml.replace(CERTIFICATE, quoted(files, CERTIFICATE)).replace(KEY, quoted(files, KEY));
  }

  private static String quoted(Path directory, String name) {
    return '"' + directory.resolve(name.toLowerCase(Locale.ROOT)).toString() + '"';
  }

  private static Path write() {
    try {
      X509Bundle bundle =
          new CertificateBuilder()
              .rsa2048() // the length of other signatures varies
              .subject("CN=gateway")
              .serial(SERIAL)
              .notBefore(NOT_BEFORE)
              .notAfter(NOT_AFTER)
              .addSanIpAddress("10.0.0.1")
              .setIsCertificateAuthority(true)
              .buildSelfSigned();
      Path made = Files.createTempDirectory("sluice-simulation-");
      made.toFile().deleteOnExit(); // the files go first, which are registered last
      write(made, CERTIFICATE, bundle.getCertificatePEM());
      write(made, KEY, bundle.getPrivateKeyPEM());
      return made;
    } catch (Exception e) {
      throw new IllegalStateException("no certificate could be made", e);
    }
  }

  private static void write(Path directory, String name, String text) throws IOException {
    Path file = directory.resolve(name.toLowerCase(Locale.ROOT));
    Files.writeString(file, text);
    file.toFile().deleteOnExit();
  }
}
