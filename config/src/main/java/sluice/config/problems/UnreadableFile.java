package sluice.config.problems;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reason why a file cannot be read, in words for a {@link Problem}. */
public final class UnreadableFile {
  private UnreadableFile() {}

  /** What was found instead of a file that can be read. */
  public static String reason(Path file, IOException failure) {
    if (failure instanceof NoSuchFileException) {
      return "no such file";
    }
    if (failure instanceof AccessDeniedException) {
      return "no permission to read it";
    }
    return Files.isDirectory(file) ? "a directory" : "a file that cannot be read";
  }
}
