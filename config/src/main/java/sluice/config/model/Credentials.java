package sluice.config.model;

import java.nio.charset.StandardCharsets;
import java.util.function.IntPredicate;

/**
 * Who somebody is, and how he proves it.
 *
 * @param user without spaces, control characters and colons
 * @param password without control characters
 */
public record Credentials(String user, String password) {
  /** The longest user, and the longest password. */
  public static final int MAX_BYTES = 250;

  /**
   * Who can log in: no colon, which ends a name in the file, and no space, which does in a login.
   */
  public static boolean isUser(String name) {
    return isOf(name, c -> c > ' ' && c != 0x7f && c != ':');
  }

  /** What he can prove it by. */
  public static boolean isPassword(String text) {
    return isOf(text, c -> c >= ' ' && c != 0x7f);
  }

  private static boolean isOf(String text, IntPredicate allowed) {
    int length = text.getBytes(StandardCharsets.UTF_8).length;
    return 1 <= length && length <= MAX_BYTES && text.chars().allMatch(allowed);
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "Credentials[" + user + "]";
  }
}
