package sluice.codecs.memcached.text;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * View of one line of the text protocol (classic or meta) as tokens separated by one or more
 * spaces; a TAB is not a separator (protocols/memcached.md, 2.1).
 *
 * <p>Positions are absolute indexes of the wrapped buffer. A view owns nothing: it is good until
 * the next wrap, and while the buffer is. Lines of any number of tokens are read; the arrays grow
 * to the longest line seen and stay.
 */
public final class TextLine {
  private ByteBuf buffer;
  private int count;
  private boolean hasNul;
  private int[] starts = new int[32];
  private int[] ends = new int[32];

  /**
   * Reads the line [from, to), which excludes its line end. Borrows buffer, moves no index.
   *
   * @return this, one instance used again and again
   */
  public TextLine wrap(ByteBuf buffer, int from, int to) {
    this.buffer = buffer;
    count = 0;
    hasNul = false;
    int start = -1;
    for (int i = from; i < to; i++) {
      byte b = buffer.getByte(i);
      if (b == ' ') {
        if (start >= 0) {
          add(start, i);
          start = -1;
        }
      } else {
        if (start < 0) {
          start = i;
        }
        hasNul |= b == 0;
      }
    }
    if (start >= 0) {
      add(start, to);
    }
    return this;
  }

  private void add(int start, int end) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, count * 2);
      ends = Arrays.copyOf(ends, count * 2);
    }
    starts[count] = start;
    ends[count++] = end;
  }

  /** The buffer that positions refer to. */
  public ByteBuf buffer() {
    return buffer;
  }

  /** How many tokens there are; 0 for an empty line. */
  public int count() {
    return count;
  }

  /** Whether a NUL is among the bytes: servers before 1.6.40 end the line there. */
  public boolean hasNul() {
    return hasNul;
  }

  /** Where token {@code token} starts. */
  public int start(int token) {
    return starts[token];
  }

  /** Where token {@code token} ends, exclusive. */
  public int end(int token) {
    return ends[token];
  }

  /** The length of token {@code token} in bytes. */
  public int length(int token) {
    return ends[token] - starts[token];
  }

  /** Whether token {@code token} is exactly {@code ascii}. */
  public boolean is(int token, String ascii) {
    int length = ascii.length();
    if (length(token) != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (buffer.getByte(starts[token] + i) != ascii.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Token {@code token} as a string, one char a byte; for messages and rare commands, not for the
   * data path.
   */
  public String string(int token) {
    return buffer.toString(starts[token], length(token), StandardCharsets.ISO_8859_1);
  }
}
