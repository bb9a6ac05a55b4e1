package sluice.gateway.discover;

/** There is no answer, or none that can be used; the message says why, for people. */
final class DiscoveryException extends Exception {
  private static final long serialVersionUID = 1;

  DiscoveryException(String message) {
    super(message, null, false, false);
  }
}
