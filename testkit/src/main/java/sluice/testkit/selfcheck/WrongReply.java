package sluice.testkit.selfcheck;

/** Exception for a reply that its request, and the possible values of the key, do not permit. */
final class WrongReply extends RuntimeException {
  private static final long serialVersionUID = 1L;

  WrongReply(String message) {
    super(message);
  }
}
