package sluice.config.model;

import java.util.Arrays;

/**
 * File with a Zstandard dictionary that the configuration names. Two are equal if their names and
 * contents are. Immutable.
 */
public final class DictionaryFile {
  private final String name;
  private final byte[] content;

  /**
   * @param name as written in the configuration
   * @param content of the file; not copied
   */
  public DictionaryFile(String name, byte[] content) {
    this.name = name;
    this.content = content;
  }

  /** Its name, as written. */
  public String name() {
    return name;
  }

  /** A copy of its content. */
  public byte[] content() {
    return content.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DictionaryFile file
        && name.equals(file.name)
        && Arrays.equals(content, file.content);
  }

  @Override
  public int hashCode() {
    return 31 * name.hashCode() + Arrays.hashCode(content);
  }

  @Override
  public String toString() {
    return name;
  }
}
