package sluice.gateway.samples;

/**
 * Text form of keys. A key may be any bytes: those that are not printable ASCII are written as
 * {@code \xNN}, and a backslash as two, so that different keys have different texts.
 */
public final class KeyText {
  private static final String HEX = "0123456789abcdef";

  private KeyText() {}

  /** The text of a key that has one byte a character. */
  public static String of(String bytes) {
    StringBuilder text = new StringBuilder(bytes.length());
    for (int i = 0; i < bytes.length(); i++) {
      append(bytes.charAt(i), text);
    }
    return text.toString();
  }

  static String of(byte[] key, int length) {
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      append(key[i] & 0xFF, text);
    }
    return text.toString();
  }

  private static void append(int b, StringBuilder text) {
    if (b == '\\') {
      text.append("\\\\");
    } else if (b < ' ' || b > '~') {
      text.append("\\x").append(HEX.charAt(b >> 4)).append(HEX.charAt(b & 15));
    } else {
      text.append((char) b);
    }
  }
}
