package sluice.testkit.selfcheck;

/** A reply that the request before it, and what the key can hold, does not allow. */
final class WrongReply extends RuntimeException {
  private static final long serialVersionUID = 1L;

  WrongReply(String message) {
    super(message);
  }
}
