package sluice.config.files;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import sluice.config.problems.Problems;
import sluice.config.problems.RegularFile;
import sluice.config.problems.UnreadableFile;
import sluice.config.schema.Checked;

/**
 * Reader of the files that the configuration names. Problems are reported at the setting that names
 * the file.
 */
public final class FilesBeside {
  private static final int MAX_FILE_BYTES = 1 << 20;

  private final Path directory;
  private final Problems problems;
  private final List<Path> looked;

  /** Conversion of a file's content. */
  interface Reader<T> {
    T read(byte[] file) throws UnfitFileException;
  }

  /**
   * @param directory that relative paths start from
   * @param looked receives every path that is read
   */
  public FilesBeside(Path directory, Problems problems, List<Path> looked) {
    this.looked = looked;
    this.directory = directory;
    this.problems = problems;
  }

  /**
   * Reads a file. The result is empty, and a problem is noted, if the file cannot be read or is not
   * as expected.
   */
  <T> Optional<T> read(Checked<String> file, String expected, Reader<T> reader) {
    if (file.value().isEmpty()) {
      return Optional.empty();
    }
    try {
      Path path = directory.resolve(name(file));
      looked.add(path);
      return read(path, file, expected, reader);
    } catch (InvalidPathException e) {
      refuse(file, "no such file", expected);
      return Optional.empty();
    }
  }

  private <T> Optional<T> read(Path path, Checked<String> file, String expected, Reader<T> reader) {
    try (var in = RegularFile.open(path)) {
      byte[] bytes = in.readNBytes(MAX_FILE_BYTES + 1);
      if (bytes.length <= MAX_FILE_BYTES) {
        return Optional.of(reader.read(bytes));
      }
      refuse(file, "more than 1 MiB", expected);
    } catch (UnfitFileException e) {
      refuse(file, e.found(), expected);
    } catch (IOException e) {
      refuse(file, UnreadableFile.reason(path, e), expected);
    }
    return Optional.empty();
  }

  void refuse(Checked<String> file, String found, String expected) {
    problems.add(file.line(), file.column(), file.path(), file.shown() + ": " + found, expected);
  }

  static String name(Checked<String> file) {
    return file.value().orElseThrow();
  }
}
