package sluice.config.problems;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reason why a file cannot be read, in words for a {@link Problem}. */
public final class UnreadableFile {
  static final String IRREGULAR = "a pipe, a socket or a device";

  private UnreadableFile() {}

  /** What was found instead of a file that can be read. */
  public static String reason(Path file, IOException failure) {
    if (failure instanceof NoSuchFileException) {
      return "no such file";
    }
    if (failure instanceof AccessDeniedException) {
      return "no permission to read it";
    }
    if (Files.isDirectory(file)) {
      return "a directory";
    }
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      return IRREGULAR;
    }
    // The system's own words, such as "Too many levels of symbolic links".
    return failure instanceof FileSystemException system && system.getReason() != null
        ? "a file that cannot be read (" + system.getReason() + ")"
        : "a file that cannot be read";
  }
}
