package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Bytes of replies that have arrived and were not read yet. */
final class Replies {
  private byte[] bytes = new byte[512];
  private int from;
  private int to;
  private int mark;

  void add(byte[] more) {
    if (to + more.length > bytes.length) {
      int left = to - from;
      byte[] larger = new byte[Math.max(bytes.length, 2 * (left + more.length))];
      System.arraycopy(bytes, from, larger, 0, left);
      bytes = larger;
      from = 0;
      to = left;
    }
    System.arraycopy(more, 0, bytes, to, more.length);
    to += more.length;
  }

  boolean isEmpty() {
    return from == to;
  }

  /** Remembers this position. */
  void mark() {
    mark = from;
  }

  /** Goes back to the marked position. */
  void reset() {
    from = mark;
  }

  /** The next line without its end; null if it is not complete. */
  @Nullable String line() {
    for (int i = from; i + 1 < to; i++) {
      if (bytes[i] == '\r' && bytes[i + 1] == '\n') {
        String line = new String(bytes, from, i - from, ISO_8859_1);
        from = i + 2;
        return line;
      }
    }
    return null;
  }

  /** The next value of that length, and its end; null if they are not complete. */
  @Nullable String value(int length) {
    if (to - from < length + 2) {
      return null;
    }
    String value = new String(bytes, from, length, ISO_8859_1);
    boolean ends = bytes[from + length] == '\r' && bytes[from + length + 1] == '\n';
    from += length + 2;
    return ends ? value : value + "[no line end]";
  }

  /** The start of what is left, for a message. */
  String rest() {
    return new String(Arrays.copyOfRange(bytes, from, Math.min(to, from + 120)), ISO_8859_1)
        .replace("\r", "\\r")
        .replace("\n", "\\n");
  }
}
