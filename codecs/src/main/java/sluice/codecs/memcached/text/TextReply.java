package sluice.codecs.memcached.text;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;

/** Reads the lines of a server's replies where they lie. Every method borrows its buffer. */
public final class TextReply {
  /** So many digits cannot be more than an {@code int} holds. */
  private static final int DIGITS_OF_ANY_INT = 9;

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

  /** Whether the line [from, to) is exactly {@code ascii}. */
  public static boolean is(ByteBuf in, int from, int to, String ascii) {
    return to - from == ascii.length() && startsWith(in, from, to, ascii);
  }

  /** Whether the line is one of the three error forms, with whatever follows. */
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
    int flagsStart = Math.min(keyEnd + 1, to);
    int flagsEnd = tokenEnd(in, flagsStart, to);
    if (flagsEnd == flagsStart) {
      return -1;
    }
    int sizeStart = Math.min(flagsEnd + 1, to);
    return size(in, sizeStart, tokenEnd(in, sizeStart, to));
  }

  /** A size token [from, to) in bytes, or -1 if it is none. */
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

  /** One of up to nine digits, as all are that are not wrong: each byte is read once. */
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
