package sluice.codecs.memcached.text;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.buffer.Bytes;

/** Reader of a server's reply lines, in place. Every method borrows its buffer. */
public final class TextReply {
  /** The most digits that certainly fit an {@code int}. */
  private static final int DIGITS_OF_ANY_INT = 9;

  private static final long VALUE = 0x5641_4C55_4520L; // "VALUE "
  private static final long SPACES = Bytes.eight(' ');

  private TextReply() {}

  /** Whether the line [from, to) starts with {@code ascii}. */
  public static boolean startsWith(ByteBuf in, int from, int to, String ascii) {
    if (to - from < ascii.length()) {
      return false;
    }
    for (int i = 0; i < ascii.length(); i++) {
      if (in.getByte(from + i) != ascii.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Whether the line [from, to) starts with {@code "VALUE "} and has a key and more. */
  public static boolean isValue(ByteBuf in, int from, int to) {
    return to - from >= Long.BYTES && in.getLong(from) >>> 16 == VALUE;
  }

  /** Whether the line [from, to) is exactly {@code ascii}. */
  public static boolean is(ByteBuf in, int from, int to, String ascii) {
    return to - from == ascii.length() && startsWith(in, from, to, ascii);
  }

  /** Whether the line begins as one of the three error forms. */
  public static boolean isError(ByteBuf in, int from, int to) {
    if (to - from < 5) {
      return false;
    }
    return switch (in.getByte(from)) {
      case 'E' -> startsWith(in, from, to, "ERROR") || startsWith(in, from, to, "Error ");
      case 'C' -> startsWith(in, from, to, "CLIENT_ERROR");
      case 'S' -> startsWith(in, from, to, "SERVER_ERROR");
      default -> false;
    };
  }

  /** The end of the token that starts at {@code from}. */
  public static int tokenEnd(ByteBuf in, int from, int to) {
    int i = from;
    for (; i + Long.BYTES <= to; i += Long.BYTES) {
      long spaces = Bytes.equal(in.getLongLE(i), SPACES);
      if (spaces != 0) {
        return i + (Long.numberOfTrailingZeros(spaces) >>> 3);
      }
    }
    while (i < to && in.getByte(i) != ' ') {
      i++;
    }
    return i;
  }

  /**
   * The size on a {@code VALUE key flags size [cas]} line, whose key ends at {@code keyEnd}; -1 if
   * the line is malformed.
   */
  public static int valueSize(ByteBuf in, int keyEnd, int to) {
    if (to - keyEnd < Long.BYTES) {
      return shortValueSize(Bytes.before(in, to, to - keyEnd), 8 * (to - keyEnd - 2));
    }
    int flagsStart = Math.min(keyEnd + 1, to);
    int flagsEnd = tokenEnd(in, flagsStart, to);
    if (flagsEnd == flagsStart) {
      return -1;
    }
    int sizeStart = Math.min(flagsEnd + 1, to);
    return size(in, sizeStart, tokenEnd(in, sizeStart, to));
  }

  /**
   * The size in a word that ends with the bytes after a key, whose flags begin at a shift. Covers
   * all lines with short flags and no cas.
   */
  private static int shortValueSize(long word, int flags) {
    int shift = flags;
    while (shift >= 0 && (byte) (word >>> shift) != ' ') {
      shift -= 8;
    }
    if (shift == flags) {
      return -1;
    }
    int first = shift - 8;
    int size = 0;
    for (shift = first; shift >= 0 && (byte) (word >>> shift) != ' '; shift -= 8) {
      int digit = (byte) (word >>> shift) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      size = size * 10 + digit;
    }
    return shift == first ? -1 : size;
  }

  /** The size token [from, to) in bytes, or -1 if it is invalid. */
  public static int size(ByteBuf in, int from, int to) {
    if (to - from > 0 && to - from <= DIGITS_OF_ANY_INT) {
      return shortSize(in, from, to);
    }
    if (!AsciiNumber.isUnsigned(in, from, to)) {
      return -1;
    }
    long size = AsciiNumber.unsigned(in, from, to);
    return size < 0 || size > Integer.MAX_VALUE - 2 ? -1 : (int) size;
  }

  /** A size of up to nine digits, which covers all valid ones: each byte is read once. */
  private static int shortSize(ByteBuf in, int from, int to) {
    int size = 0;
    for (int i = from; i < to; i++) {
      int digit = in.getByte(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      size = size * 10 + digit;
    }
    return size;
  }
}
