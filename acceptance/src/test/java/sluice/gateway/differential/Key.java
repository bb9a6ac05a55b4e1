package sluice.gateway.differential;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * A key of 1 to 250 bytes.
 *
 * @param raw its bytes as ISO 8859-1
 * @param base64 whether a meta request writes it in base64, with the flag {@code b}
 */
record Key(String raw, boolean base64) {
  private static final int LONGEST_IN_BASE64 = 186; // 248 characters of the 250 that a token has

  static Key of(String raw) {
    return new Key(raw, false);
  }

  /** How a line of text names it. */
  String token() {
    return base64
        ? Base64.getEncoder().encodeToString(raw.getBytes(StandardCharsets.ISO_8859_1))
        : raw;
  }

  /** Whether a line of text may hold it as it is, by memcached's protocol.txt. */
  boolean isPlain() {
    return raw.chars().allMatch(c -> c > ' ' && c != 0x7f);
  }

  /** Whether a line of text can name it at all. */
  boolean fitsALine() {
    return isPlain() || raw.length() <= LONGEST_IN_BASE64;
  }

  /** The same key in the form that a line of text can hold. */
  Key forALine() {
    return new Key(raw, !isPlain());
  }

  @Override
  public String toString() {
    return Escapes.of(raw) + (base64 ? " in base64" : "");
  }
}
