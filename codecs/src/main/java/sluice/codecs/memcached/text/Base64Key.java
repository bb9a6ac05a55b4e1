package sluice.codecs.memcached.text;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Meta protocol keys in base64 with padding, read and written in place (memcached's protocol.txt,
 * "Meta Commands").
 */
public final class Base64Key {
  private static final byte[] DIGITS =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".getBytes(US_ASCII);
  private static final byte OTHER = -1;
  private static final byte[] VALUES = new byte[256];

  static {
    Arrays.fill(VALUES, OTHER);
    for (int i = 0; i < DIGITS.length; i++) {
      VALUES[DIGITS[i]] = (byte) i;
    }
    VALUES['='] = 0;
  }

  private Base64Key() {}

  /**
   * Whether [from, to) is base64 of at least one byte, padded, and nothing else. Borrows buffer.
   */
  public static boolean isValid(ByteBuf buffer, int from, int to) {
    int length = to - from;
    if (length == 0 || length % 4 != 0) {
      return false;
    }
    int digits = length - padding(buffer, to);
    for (int i = from; i < from + digits; i++) {
      int b = buffer.getUnsignedByte(i);
      if (VALUES[b] == OTHER || b == '=') {
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

  /**
   * Appends the bytes that [from, to) encodes, as leniently as memcached: characters other than
   * digits and padding are skipped, and nothing is read after the padding. Borrows both buffers.
   *
   * @return number of bytes; 0 if it is not base64, and then none were appended
   */
  public static int decode(ByteBuf buffer, int from, int to, ByteBuf out) {
    int start = out.writerIndex();
    int length = read(buffer, from, to, out);
    out.writerIndex(start + length);
    return length;
  }

  /** Whether {@link #decode} finds a key in [from, to). Borrows buffer. */
  public static boolean isReadable(ByteBuf buffer, int from, int to) {
    return read(buffer, from, to, null) > 0;
  }

  /**
   * Number of bytes that [from, to) encodes; 0 if it is not base64. Appends them, and up to two
   * more, to out unless that is null.
   */
  private static int read(ByteBuf buffer, int from, int to, @Nullable ByteBuf out) {
    int length = 0;
    int group = 0;
    int inGroup = 0;
    int padding = 0;
    int digits = 0;
    for (int i = from; i < to; i++) {
      digits += VALUES[buffer.getUnsignedByte(i)] == OTHER ? 0 : 1;
    }
    if (digits == 0 || digits % 4 != 0) {
      return 0;
    }
    for (int i = from; i < to && padding == 0; i++) {
      int b = buffer.getUnsignedByte(i);
      if (VALUES[b] == OTHER) {
        continue;
      }
      group = group << 6 | VALUES[b];
      inGroup++;
      if (b == '=') {
        padding++;
        for (int j = i + 1; j < to && inGroup < 4; j++) {
          int next = buffer.getUnsignedByte(j);
          if (VALUES[next] != OTHER) {
            group = group << 6 | VALUES[next];
            inGroup++;
            padding += next == '=' ? 1 : 0;
          }
        }
      }
      if (inGroup == 4) {
        if (out != null) {
          out.writeMedium(group);
        }
        length += 3;
        group = 0;
        inGroup = 0;
      }
    }
    return padding > 2 ? 0 : length - padding;
  }

  /** Number of characters that {@link #encode} writes for this many bytes. */
  public static int encodedLength(int bytes) {
    return (bytes + 2) / 3 * 4;
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
