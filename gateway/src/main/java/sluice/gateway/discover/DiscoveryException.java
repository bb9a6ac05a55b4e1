package sluice.gateway.discover;

/** Exception for a missing or unusable answer; the message states the reason for people. */
final class DiscoveryException extends Exception {
  private static final long serialVersionUID = 1;

  DiscoveryException(String message) {
    super(message, null, false, false);
  }
}
