package sluice.gateway.client.binary;

/**
 * State of the login of one client that must log in. {@link BinaryLogin}, which all clients of an
 * event loop share, changes it.
 */
final class LoginState {
  private boolean loggedIn;
  private boolean awaitsStep;

  /** Whether the client has logged in. */
  boolean isLoggedIn() {
    return loggedIn;
  }

  /** Sets whether the client has logged in. */
  void loggedIn(boolean now) {
    loggedIn = now;
  }

  /** Whether the client was asked for its credentials. */
  boolean awaitsStep() {
    return awaitsStep;
  }

  /** Sets whether the client was asked for its credentials. */
  void awaitsStep(boolean now) {
    awaitsStep = now;
  }
}
