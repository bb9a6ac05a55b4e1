package sluice.config.files;

/**
 * A file beside the configuration that does not hold what it should. The message says what it holds
 * instead, and nothing that may be secret.
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
