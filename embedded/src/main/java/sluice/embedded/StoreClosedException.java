package sluice.embedded;

/** The store was closed under a session; carries no stack, since it only ends a request. */
final class StoreClosedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StoreClosedException() {
    super("the embedded store is closed", null, false, false);
  }
}
