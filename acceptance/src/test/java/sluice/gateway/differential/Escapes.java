package sluice.gateway.differential;

/** Bytes as text that a person can read. */
final class Escapes {
  private static final int LONGEST = 400;

  private Escapes() {}

  /** What is not printable as an escape, and of what is long the beginning. */
  static String of(String bytes) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < bytes.length(); i++) {
      if (i == LONGEST) {
        return text.append("... (").append(bytes.length()).append(" bytes)").toString();
      }
      char c = bytes.charAt(i);
      if (c == '\r') {
        text.append("\\r");
      } else if (c == '\n') {
        text.append("\\n");
      } else if (c < ' ' || c > '~') {
        text.append(String.format("\\x%02x", (int) c));
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }
}
