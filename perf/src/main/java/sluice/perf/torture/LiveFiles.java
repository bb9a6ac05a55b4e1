package sluice.perf.torture;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Configuration and its certificates in the form of a Kubernetes volume. They are links into a
 * directory that is itself a link, which is swapped for another so that all change at once.
 */
final class LiveFiles {
  private static final String CONFIGURATION = "sluice.yaml";
  private static final String[] NAMES = {CONFIGURATION, "gateway.crt", "gateway.key", "ca.crt"};

  private final Path directory;
  private final Authority authority;
  private String yaml;
  private X509Bundle gateway;
  private int version;

  LiveFiles(Path directory, Authority authority, String yaml) throws Exception {
    this.directory = Files.createDirectories(directory);
    this.authority = authority;
    this.yaml = yaml;
    this.gateway = authority.issue("gateway");
    swap();
    for (String name : NAMES) {
      Files.createSymbolicLink(directory.resolve(name), Path.of("..data", name));
    }
  }

  Path configuration() {
    return directory.resolve(CONFIGURATION);
  }

  void configuration(String next) throws IOException {
    yaml = next;
    swap();
  }

  /** The gateway's certificate, new. */
  X509Bundle renew() throws Exception {
    gateway = authority.issue("gateway");
    swap();
    return gateway;
  }

  private void swap() throws IOException {
    Path old = directory.resolve("..version" + (version - 1));
    Path next = Files.createDirectories(directory.resolve("..version" + ++version));
    Files.writeString(next.resolve(CONFIGURATION), yaml);
    Files.writeString(next.resolve("gateway.crt"), gateway.getCertificatePathPEM());
    Files.writeString(next.resolve("gateway.key"), gateway.getPrivateKeyPEM());
    Files.writeString(next.resolve("ca.crt"), authority.pem());
    Path link = directory.resolve("..next");
    Files.deleteIfExists(link);
    Files.createSymbolicLink(link, next.getFileName());
    Files.move(link, directory.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    // Not the one before: it may just be read.
    for (String name : NAMES) {
      Files.deleteIfExists(old.resolve(name));
    }
    Files.deleteIfExists(old);
  }
}
