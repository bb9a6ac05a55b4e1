package sluice.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of a directory that {@code build-tools/dist -o} has written. */
record Distributions(Path directory) {
  /** Those that {@code build-tools/test} has just made: {@code -Dsluice.dist=DIR}. */
  static Distributions made() {
    return ofProperty("sluice.dist");
  }

  /** The same, made once more from the same jars: {@code -Dsluice.dist.again=DIR}. */
  static Distributions madeAgain() {
    return ofProperty("sluice.dist.again");
  }

  private static Distributions ofProperty(String name) {
    String directory = System.getProperty(name);
    if (directory == null) {
      throw new IllegalStateException("-D" + name + ": found nothing, expected a directory");
    }
    return new Distributions(Path.of(directory).toAbsolutePath());
  }

  List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  /** The archive that needs Java. */
  Path archive() throws IOException {
    return file("sluice-[^/]*(?<!-linux-x64|-linux-aarch64)\\.tar\\.gz");
  }

  /** The archive with a runtime. */
  Path archiveWithRuntime() throws IOException {
    return file("sluice-[^/]*-linux-(x64|aarch64)\\.tar\\.gz");
  }

  Path debianPackage() throws IOException {
    return file("sluice_.*\\.deb");
  }

  private Path file(String pattern) throws IOException {
    List<Path> found =
        files().stream().filter(file -> file.getFileName().toString().matches(pattern)).toList();
    if (found.size() != 1) {
      throw new IllegalStateException(
          directory + ": found " + found + ", expected one file of the name " + pattern);
    }
    return found.get(0);
  }
}
