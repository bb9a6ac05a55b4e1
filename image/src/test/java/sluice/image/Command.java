package sluice.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A command that is run to its end. */
final class Command {
  private static final int LIMIT_SECONDS = 120;

  private final List<String> words;

  private Command(List<String> words) {
    this.words = words;
  }

  static Command of(String... words) {
    return new Command(List.of(words));
  }

  static Command of(List<String> words) {
    return new Command(words);
  }

  /** Whether it could be run and ended with 0. */
  boolean isPossible() {
    try {
      run();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * What it wrote to both streams; an {@link IOException} with that text unless it ended with 0.
   */
  String succeeds() throws IOException {
    return run();
  }

  private String run() throws IOException {
    File output = File.createTempFile("command", ".out");
    try {
      Process process =
          new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output).start();
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(words + " did not end in " + LIMIT_SECONDS + " s");
      }
      String text = java.nio.file.Files.readString(output.toPath(), UTF_8);
      if (process.exitValue() != 0) {
        throw new IOException(words + " ended with " + process.exitValue() + ": " + text);
      }
      return text;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      output.delete();
    }
  }
}
