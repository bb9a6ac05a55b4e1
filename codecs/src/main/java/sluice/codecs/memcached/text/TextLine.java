package sluice.codecs.memcached.text;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import sluice.codecs.buffer.Bytes;

/**
 * View of one line of the text protocol (classic or meta) as tokens separated by one or more
 * spaces; a TAB is not a separator (protocols/memcached.md, 2.1).
 *
 * <p>Positions are absolute indexes of the wrapped buffer. A view owns nothing: it is good until
 * the next wrap, and while the buffer is. Lines of any number of tokens are read; the arrays grow
 * to the longest line seen and stay.
 */
public final class TextLine {
  private static final long SPACES = Bytes.eight(' ');

  private ByteBuf buffer;
  private int count;
  private boolean hasNul;
  private boolean regular;
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
    regular = true;
    long nuls = 0;
    int start = from; // of a token, unless there is a space
    int i = from;
    for (; i + Long.BYTES <= to; i += Long.BYTES) {
      long word = buffer.getLongLE(i);
      nuls |= Bytes.equal(word, 0);
      for (long left = Bytes.equal(word, SPACES); left != 0; left &= left - 1) {
        int space = i + (Long.numberOfTrailingZeros(left) >>> 3);
        if (space > start) {
          add(start, space);
        } else {
          regular = false;
        }
        start = space + 1;
      }
    }
    long rest = Bytes.before(buffer, to, to - i);
    for (; i < to; i++) {
      byte b = (byte) (rest >>> (8 * (to - i - 1)));
      if (b == ' ') {
        if (i > start) {
          add(start, i);
        } else {
          regular = false;
        }
        start = i + 1;
      }
      nuls |= b == 0 ? 1 : 0;
    }
    if (to > start) {
      add(start, to);
    } else {
      regular = false;
    }
    hasNul = nuls != 0;
    return this;
  }

  /**
   * Reads the line [from, next), which ends with LF or CRLF. A line that ends with a bare LF is not
   * {@linkplain #isRegular regular}. Borrows buffer, moves no index.
   */
  public TextLine wrapWithEnd(ByteBuf buffer, int from, int next) {
    int to = next - 1;
    boolean crlf = to - from > 1 && buffer.getByte(to - 1) == '\r';
    wrap(buffer, from, crlf ? to - 1 : to);
    regular &= crlf;
    return this;
  }

  /**
   * Ends the line at its first NUL, as memcached before 1.6.40 does. Such a line is not {@linkplain
   * #isRegular regular}.
   */
  public void cutAtNul() {
    if (!hasNul) {
      return;
    }
    int kept = 0;
    for (int token = 0; token < count && hasNul; token++) {
      int nul = buffer.indexOf(starts[token], ends[token], (byte) 0);
      if (nul >= 0) {
        ends[token] = nul;
        hasNul = false;
      }
      kept += ends[token] > starts[token] ? 1 : 0;
    }
    count = kept;
    hasNul = false;
    regular = false;
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

  /** Whether the line holds a NUL: servers before 1.6.40 end the line there. */
  public boolean hasNul() {
    return hasNul;
  }

  /**
   * Whether the bytes are what this gateway would write for the same tokens: one space between two
   * of them, none before or behind, and CRLF at the end if {@link #wrapWithEnd} has read it.
   */
  public boolean isRegular() {
    return regular;
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
