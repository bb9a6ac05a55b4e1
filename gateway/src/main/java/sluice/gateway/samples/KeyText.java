package sluice.gateway.samples;

/**
 * Keys as text. A key is any bytes: what is not printable ASCII is written as {@code \xNN}, and a
 * backslash as two, so that different keys are different texts.
 */
public final class KeyText {
  private static final String HEX = "0123456789abcdef";

  private KeyText() {}

  /** Of a key of one byte a character. */
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
