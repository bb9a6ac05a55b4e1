package sluice.codecs.memcached.text;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/** Keys of the meta protocol in base64, with padding (protocols/memcached.md, 3.1). */
public final class Base64Key {
  private static final byte[] DIGITS =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".getBytes(US_ASCII);
  private static final byte[] VALUES = new byte[128];

  static {
    Arrays.fill(VALUES, (byte) -1);
    for (int i = 0; i < DIGITS.length; i++) {
      VALUES[DIGITS[i]] = (byte) i;
    }
  }

  private Base64Key() {}

  /** Whether [from, to) is base64 of at least one byte, padded. Borrows buffer. */
  public static boolean isValid(ByteBuf buffer, int from, int to) {
    int length = to - from;
    if (length == 0 || length % 4 != 0) {
      return false;
    }
    int digits = length - padding(buffer, to);
    for (int i = from; i < from + digits; i++) {
      byte b = buffer.getByte(i);
      if (b < 0 || VALUES[b] < 0) {
        return false;
      }
    }
    return true;
  }

  private static int padding(ByteBuf buffer, int to) {
    if (buffer.getByte(to - 1) != '=') {
      return 0;
    }
    return buffer.getByte(to - 2) == '=' ? 2 : 1;
  }

  /** Appends the bytes that the valid [from, to) stands for. Borrows both buffers. */
  public static void decode(ByteBuf buffer, int from, int to, ByteBuf out) {
    int bytes = (to - from) / 4 * 3 - padding(buffer, to);
    int group = 0;
    for (int i = from; i < to; i++) {
      byte b = buffer.getByte(i);
      group = group << 6 | (b == '=' ? 0 : VALUES[b]);
      if ((i - from) % 4 == 3) {
        for (int shift = 16; shift >= 0 && bytes > 0; shift -= 8, bytes--) {
          out.writeByte(group >> shift);
        }
        group = 0;
      }
    }
  }

  /** Appends the bytes [from, to) as base64 with padding. Borrows both buffers. */
  public static void encode(ByteBuf buffer, int from, int to, ByteBuf out) {
    for (int i = from; i < to; i += 3) {
      int left = Math.min(3, to - i);
      int group = (buffer.getByte(i) & 0xFF) << 16;
      group |= left > 1 ? (buffer.getByte(i + 1) & 0xFF) << 8 : 0;
      group |= left > 2 ? buffer.getByte(i + 2) & 0xFF : 0;
      out.writeByte(DIGITS[group >> 18]);
      out.writeByte(DIGITS[group >> 12 & 63]);
      out.writeByte(left > 1 ? DIGITS[group >> 6 & 63] : '=');
      out.writeByte(left > 2 ? DIGITS[group & 63] : '=');
    }
  }
}
