package sluice.codecs;

/**
 * Exception for bytes from a peer that its protocol does not allow. The message says what was found
 * and what was expected. It has no stack trace, because the fault lies with the peer and not with
 * this code.
 */
public final class ProtocolException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public ProtocolException(String message) {
    super(message, null, false, false);
  }
}
