package sluice.config.problems;

/**
 * Problem in a configuration file.
 *
 * @param file as it was named
 * @param line from 1; 0 if the file could not be read at all
 * @param column from 1, in characters; 0 if the file could not be read at all
 * @param path of the setting, as in {@code routes.cache[0].match}
 * @param found the actual value
 * @param expected a description of valid values
 */
public record Problem(
    String file, int line, int column, String path, String found, String expected) {
  /**
   * {@code FILE:line:column: path: found X, expected Y}; {@code FILE: found X, expected Y} for a
   * file that could not be read at all.
   */
  @Override
  public String toString() {
    if (line == 0) {
      return file + ": found " + found + ", expected " + expected;
    }
    return file
        + ":"
        + line
        + ":"
        + column
        + ": "
        + path
        + ": found "
        + found
        + ", expected "
        + expected;
  }
}
