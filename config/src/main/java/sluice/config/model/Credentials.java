package sluice.config.model;

import java.nio.charset.StandardCharsets;
import java.util.function.IntPredicate;

/**
 * User name and password.
 *
 * @param user without spaces, control characters and colons
 * @param password without control characters
 */
public record Credentials(String user, String password) {
  /** The longest user name, and the longest password, in bytes. */
  public static final int MAX_BYTES = 250;

  /**
   * Whether a user of that name can log in. The name must not contain a colon, which ends a name in
   * the file, or a space, which ends it in a login.
   */
  public static boolean isUser(String name) {
    return isOf(name, c -> c > ' ' && c != 0x7f && c != ':');
  }

  /** Whether the text is a valid password. */
  public static boolean isPassword(String text) {
    return isOf(text, c -> c >= ' ' && c != 0x7f);
  }

  private static boolean isOf(String text, IntPredicate allowed) {
    int length = text.getBytes(StandardCharsets.UTF_8).length;
    return 1 <= length && length <= MAX_BYTES && text.chars().allMatch(allowed);
  }

  /** The user name without the password. */
  @Override
  public String toString() {
    return "Credentials[" + user + "]";
  }
}
