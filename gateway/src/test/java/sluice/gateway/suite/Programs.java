package sluice.gateway.suite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The programs of other projects that the suite needs on this machine. */
final class Programs {
  private Programs() {}

  /** How a program ended and what it wrote, both streams together. */
  record Result(int exitCode, String output) {}

  /** The path of an installed program. A missing one is a failure, never a test left out. */
  static String find(String name) {
    return Stream.concat(
            Stream.of(System.getenv().getOrDefault("PATH", "").split(":")),
            Stream.of("/usr/bin", "/usr/sbin", "/usr/local/bin"))
        .map(directory -> Path.of(directory, name))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "found no "
                        + name
                        + " on this machine; `./sluice test` installs it before it runs the"
                        + " tests"));
  }

  /** Runs a program to its end; one that takes longer than the limit is killed and is a failure. */
  static Result run(Duration limit, List<String> command) {
    Path output = null;
    Process process = null;
    try {
      output = Files.createTempFile("sluice-program", ".txt");
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      process.getOutputStream().close();
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError(
            command + " did not end within " + limit + "; it wrote:\n" + Files.readString(output));
      }
      return new Result(process.exitValue(), Files.readString(output));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } finally {
      if (process != null) {
        process.destroyForcibly();
      }
      deleteQuietly(output);
    }
  }

  private static void deleteQuietly(Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
