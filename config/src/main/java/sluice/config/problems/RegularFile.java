package sluice.config.problems;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Input from regular files alone, also through symbolic links. Opening a named pipe blocks until
 * another process writes to it: a file that the configuration names must not have that power.
 */
public final class RegularFile {
  private RegularFile() {}

  /** Opens a file; the caller closes it. {@link UnreadableFile} has words for its exceptions. */
  public static InputStream open(Path file) throws IOException {
    if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
      throw new FileSystemException(file.toString(), null, UnreadableFile.IRREGULAR);
    }
    return Files.newInputStream(file);
  }
}
