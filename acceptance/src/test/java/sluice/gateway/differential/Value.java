package sluice.gateway.differential;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * A value that an operation stores.
 *
 * @param text its bytes as ISO 8859-1, or null: then they follow from length and seed
 */
record Value(int length, long seed, String text) {
  private static final String TRAPS =
      "\r\nEND\r\nSTORED\r\nVALUE a 0 3\r\nSERVER_ERROR no\r\n\u0080\u0081\r\nHD\r\nVA 1\r\nMN\r\n";
  private static final String WORDS = "the quick brown fox jumps over the lazy dog; ";

  static Value of(String text) {
    return new Value(text.length(), 0, text);
  }

  static Value noise(int length, long seed) {
    return new Value(length, seed, null);
  }

  /** Whether it is nothing but white space: incr then looks at what lies behind it in memory. */
  boolean isBlank() {
    return 0 < length && length < 8 && new String(bytes(), StandardCharsets.ISO_8859_1).isBlank();
  }

  /** The first byte of it, if it has one. */
  String start() {
    return new String(bytes(), 0, Math.min(length, 1), StandardCharsets.ISO_8859_1);
  }

  /** A third of them is noise, a third words, a third what looks like the protocol. */
  byte[] bytes() {
    if (text != null) {
      return text.getBytes(StandardCharsets.ISO_8859_1);
    }
    byte[] bytes = new byte[length];
    int kind = (int) Math.floorMod(seed, 3L);
    if (kind == 0) {
      new Random(seed).nextBytes(bytes);
      return bytes;
    }
    String pattern = kind == 1 ? WORDS : TRAPS;
    int shift = (int) Math.floorMod(seed / 3, (long) pattern.length());
    for (int i = 0; i < Math.min(length, pattern.length()); i++) {
      bytes[i] = (byte) pattern.charAt((i + shift) % pattern.length());
    }
    for (int done = pattern.length(); done < length; done *= 2) {
      System.arraycopy(bytes, 0, bytes, done, Math.min(done, length - done));
    }
    return bytes;
  }

  @Override
  public String toString() {
    return text != null ? '"' + Escapes.of(text) + '"' : length + " bytes of seed " + seed;
  }
}
