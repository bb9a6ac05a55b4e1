package sluice.config.files;

/**
 * Exception for a file named by the configuration that has unexpected content. The message tells
 * what was found, without anything that may be secret.
 */
final class UnfitFileException extends Exception {
  private static final long serialVersionUID = 1;

  UnfitFileException(String found) {
    super(found);
  }

  UnfitFileException(String found, Throwable cause) {
    super(found, cause);
  }
}
