package sluice.gateway.suite;

/** Bytes as a person can read them in the message of a failed test. */
public final class Escaped {
  private static final int LONGEST = 3_000;

  private Escaped() {}

  /** Printable ASCII as it is, line ends as escapes and lines, everything else in hex. */
  public static String of(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < bytes.length && text.length() < LONGEST; i++) {
      int b = bytes[i] & 0xff;
      switch (b) {
        case '\r' -> text.append("\\r");
        case '\n' -> text.append("\\n\n");
        default -> {
          if (b >= 0x20 && b < 0x7f) {
            text.append((char) b);
          } else {
            text.append(String.format("\\x%02x", b));
          }
        }
      }
    }
    return text + (text.length() >= LONGEST ? "... " : "") + "(" + bytes.length + " bytes)";
  }
}
