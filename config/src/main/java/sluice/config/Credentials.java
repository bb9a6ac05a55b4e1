package sluice.config;

/**
 * Who somebody is, and how he proves it.
 *
 * @param user without spaces, control characters and colons
 * @param password without control characters
 */
public record Credentials(String user, String password) {
  /** Without the password. */
  @Override
  public String toString() {
    return "Credentials[" + user + "]";
  }
}
