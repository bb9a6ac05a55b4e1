package sluice.codecs;

/**
 * A peer sent bytes that its protocol does not allow. The message says what was found and what was
 * expected; there is no stack trace, because it says something about the peer and not about us.
 */
public final class ProtocolException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public ProtocolException(String message) {
    super(message, null, false, false);
  }
}
