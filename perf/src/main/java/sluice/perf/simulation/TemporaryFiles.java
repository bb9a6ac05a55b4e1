package sluice.perf.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Directory for the files of simulated gateways, which goes when the process ends. */
final class TemporaryFiles {
  private static final Set<String> NAMES = new HashSet<>();

  private static @Nullable Path directory; // null until it is needed

  private TemporaryFiles() {}

  /** The directory. */
  static synchronized Path directory() {
    Path in = directory;
    if (in == null) {
      try {
        in = Files.createTempDirectory("sluice-simulation-");
      } catch (IOException e) {
        throw new UncheckedIOException("no directory could be made for a simulation's files", e);
      }
      in.toFile().deleteOnExit(); // the files go first, which are registered last
      directory = in;
    }
    return in;
  }

  /** A file in it, which may not exist yet. */
  static synchronized Path file(String name) {
    Path file = directory().resolve(name);
    if (NAMES.add(name)) {
      file.toFile().deleteOnExit();
    }
    return file;
  }

  /** Writes a file in it. */
  static Path write(String name, String text) {
    try {
      return Files.writeString(file(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException("a file of a simulation could not be written", e);
    }
  }
}
