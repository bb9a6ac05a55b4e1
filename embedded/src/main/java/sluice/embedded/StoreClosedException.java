package sluice.embedded;

/**
 * Exception for a session whose store was closed. It carries no stack trace, because it only ends a
 * request.
 */
final class StoreClosedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StoreClosedException() {
    super("the embedded store is closed", null, false, false);
  }
}
