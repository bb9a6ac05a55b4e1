package sluice.config.files;

/**
 * Exception for a file named by the configuration that has unexpected content. The message tells
 * what was found, without anything that may be secret.
 */
final class UnfitFileException extends Exception {
  private static final long serialVersionUID = 1;

  private final String found;

  UnfitFileException(String found) {
    super(found);
    this.found = found;
  }

  UnfitFileException(String found, Throwable cause) {
    super(found, cause);
    this.found = found;
  }

  /** A description of the contents that were found. */
  String found() {
    return found;
  }
}
