package sluice.testkit.hostile;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Utilities for byte arrays. */
public final class Bytes {
  private static final int SHOWN = 400;

  private Bytes() {}

  /** The bytes of text, one for each character. */
  public static byte[] of(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** All parts, one after another. */
  public static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  /** Bytes as a string literal, shortened; binary packets in hexadecimal digits. */
  public static String escaped(byte[] bytes) {
    if (bytes.length > 0 && (bytes[0] == (byte) 0x80 || bytes[0] == (byte) 0x81)) {
      String digits = HexFormat.of().formatHex(bytes);
      return digits.length() > SHOWN ? digits.substring(0, SHOWN) + "..." : digits;
    }
    StringBuilder text = new StringBuilder("\"");
    int run = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (i > 0 && bytes[i] == bytes[i - 1]) {
        run++;
        if (run == 12) {
          int end = i;
          while (end < bytes.length && bytes[end] == bytes[i]) {
            end++;
          }
          if (end - i > 12) {
            text.append("[").append(end - i).append(" more]");
            i = end - 1;
            run = 0;
            continue;
          }
        }
      } else {
        run = 0;
      }
      append(text, bytes[i] & 0xff);
    }
    return text.append('"').toString();
  }

  private static void append(StringBuilder text, int b) {
    switch (b) {
      case '\r' -> text.append("\\r");
      case '\n' -> text.append("\\n");
      case '\t' -> text.append("\\t");
      case '\0' -> text.append("\\0");
      case '"' -> text.append("\\\"");
      case '\\' -> text.append("\\\\");
      default -> {
        if (b < ' ' || b > '~') {
          text.append("\\x").append(HexFormat.of().toHexDigits((byte) b));
        } else {
          text.append((char) b);
        }
      }
    }
  }
}
