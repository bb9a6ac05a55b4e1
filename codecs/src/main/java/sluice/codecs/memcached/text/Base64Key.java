package sluice.codecs.memcached.text;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Meta protocol keys in base64 with padding (memcached's protocol.txt, "Meta Commands"). */
public final class Base64Key {
  private static final byte[] DIGITS =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".getBytes(US_ASCII);
  private static final int LONGEST_SHORT = 32; // bytes up to which copying costs more than it saves
  private static final int LONGEST_SHORT_ENCODED = encodedLength(LONGEST_SHORT);
  private static final byte OTHER = -1;
  private static final byte[] DIGIT_VALUES = new byte[256];
  private static final byte[] VALUES; // those, and 0 for the padding

  static {
    Arrays.fill(DIGIT_VALUES, OTHER);
    for (int i = 0; i < DIGITS.length; i++) {
      DIGIT_VALUES[DIGITS[i]] = (byte) i;
    }
    VALUES = DIGIT_VALUES.clone();
    VALUES['='] = 0;
  }

  private Base64Key() {}

  /**
   * Whether [from, to) is base64 of at least one byte, padded, and nothing else. Borrows buffer.
   */
  public static boolean isValid(ByteBuf buffer, int from, int to) {
    return Base64Arrays.ofThread().decode(buffer, from, to) > 0;
  }

  /** The same, read byte by byte. */
  static boolean hasOnlyDigits(ByteBuf buffer, int from, int to) {
    int digits = to - from - padding(buffer, to);
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
    int bytes =
        to - from > LONGEST_SHORT_ENCODED
            ? decodeByArrays(buffer, from, to, out)
            : decodeByGroups(buffer, from, to, out);
    if (bytes == 0) {
      bytes = read(buffer, from, to, out.writerIndex(start));
      out.writerIndex(start + bytes);
    }
    return bytes;
  }

  /** Appends what [from, to) encodes. Returns 0, and appends nothing, if it is not valid. */
  private static int decodeByArrays(ByteBuf buffer, int from, int to, ByteBuf out) {
    Base64Arrays arrays = Base64Arrays.ofThread();
    int bytes = arrays.decode(buffer, from, to);
    out.writeBytes(arrays.decoded(), 0, bytes);
    return bytes;
  }

  /** Appends what [from, to) encodes. Returns 0, and may append some bytes, if it is not valid. */
  private static int decodeByGroups(ByteBuf buffer, int from, int to, ByteBuf out) {
    if (from == to || (to - from) % 4 != 0) {
      return 0;
    }
    int last = to - 4;
    for (int i = from; i < last; i += 4) {
      int group = group(buffer.getInt(i));
      if (group == OTHER) {
        return 0;
      }
      out.writeMedium(group);
    }
    int padding = padding(buffer, to);
    int digits = buffer.getInt(last);
    if (padding > 0) { // A is the digit 0
      digits = padding == 1 ? (digits & ~0xFF) | 'A' : (digits & ~0xFFFF) | ('A' << 8) | 'A';
    }
    int group = group(digits);
    if (group == OTHER) {
      return 0;
    }
    if (padding == 0) {
      out.writeMedium(group);
    } else if (padding == 1) {
      out.writeShort(group >> 8);
    } else {
      out.writeByte(group >> 16);
    }
    return (to - from) / 4 * 3 - padding;
  }

  /** The three bytes that four digits encode, or OTHER if one of these is none. */
  private static int group(int digits) {
    int first = DIGIT_VALUES[digits >>> 24];
    int second = DIGIT_VALUES[digits >> 16 & 0xFF];
    int third = DIGIT_VALUES[digits >> 8 & 0xFF];
    int fourth = DIGIT_VALUES[digits & 0xFF];
    return (first | second | third | fourth) < 0
        ? OTHER
        : first << 18 | second << 12 | third << 6 | fourth;
  }

  /** Whether {@link #decode} finds a key in [from, to). Borrows buffer. */
  public static boolean isReadable(ByteBuf buffer, int from, int to) {
    return isValid(buffer, from, to) || read(buffer, from, to, null) > 0;
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
    if (to - from > LONGEST_SHORT) {
      Base64Arrays.ofThread().encode(buffer, from, to, out);
      return;
    }
    int i = from;
    for (; i + 3 <= to; i += 3) {
      out.writeInt(digits(buffer.getUnsignedMedium(i)));
    }
    if (to - i == 2) {
      out.writeInt((digits(buffer.getUnsignedShort(i) << 8) & ~0xFF) | '=');
    } else if (to - i == 1) {
      out.writeInt((digits(buffer.getUnsignedByte(i) << 16) & ~0xFFFF) | ('=' << 8) | '=');
    }
  }

  /** The four digits of three bytes. */
  private static int digits(int group) {
    return (DIGITS[group >> 18] << 24)
        | (DIGITS[group >> 12 & 63] << 16)
        | (DIGITS[group >> 6 & 63] << 8)
        | DIGITS[group & 63];
  }
}
