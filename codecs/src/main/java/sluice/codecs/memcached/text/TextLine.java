package sluice.codecs.memcached.text;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import sluice.codecs.buffer.Bytes;

/**
 * View of one line of the text protocol (classic or meta) as tokens separated by one or more
 * spaces; a TAB is not a separator (protocols/memcached.md, 2.1).
 *
 * <p>Positions are absolute indexes of the wrapped buffer. A view owns nothing: it is valid until
 * the next wrap, and while the buffer is. It keeps at most {@link #MOST_TOKENS} tokens. Only reads
 * of classic values have longer lines, whose rest {@link #readOn} reads.
 */
public final class TextLine {
  /** More tokens than a line of 2048 bytes can have. */
  public static final int MOST_TOKENS = 2048;

  private static final long SPACES = Bytes.eight(' ');

  private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
  private int count;
  private int rest;
  private int lineEnd;
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
    rest = to;
    lineEnd = to;
    long nuls = 0;
    int start = from; // start of a token, unless there is a space
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
    if (hasNul) { // the NUL was in the part cut off
      lineEnd = buffer.indexOf(rest, lineEnd, (byte) 0);
      rest = Math.min(rest, lineEnd);
    } else {
      lineEnd = kept == 0 ? starts[0] : ends[kept - 1];
      rest = lineEnd;
    }
    count = kept;
    hasNul = false;
    regular = false;
  }

  /**
   * Adds the tokens of the line [from, to), until there are {@code most} in all. Earlier tokens
   * stay.
   *
   * @return index where the first token that was left out begins, or {@code to}
   */
  public int readOn(int from, int to, int most) {
    rest = to;
    lineEnd = to;
    int i = from;
    while (i < to) {
      if (buffer.getByte(i) == ' ') {
        i++;
      } else if (count == most) {
        rest = i;
        return rest;
      } else {
        int space = buffer.indexOf(i, to, (byte) ' ');
        int end = space < 0 ? to : space;
        add(i, end);
        hasNul |= buffer.indexOf(i, end, (byte) 0) >= 0;
        i = end;
      }
    }
    return rest;
  }

  /**
   * The line's bytes are now in another buffer, {@code by} bytes later: positions follow them.
   * Borrows moved.
   */
  public void moved(ByteBuf moved, int by) {
    buffer = moved;
    rest += by;
    lineEnd += by;
    for (int token = 0; token < count; token++) {
      starts[token] += by;
      ends[token] += by;
    }
  }

  /** Number of tokens that there is room for: a longer line takes more heap. */
  public int capacity() {
    return starts.length;
  }

  private void add(int start, int end) {
    if (count == MOST_TOKENS) {
      rest = Math.min(rest, start);
      return;
    }
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

  /** Number of tokens kept; 0 for an empty line. */
  public int count() {
    return count;
  }

  /** Whether all tokens are kept. */
  public boolean isWhole() {
    return rest == lineEnd;
  }

  /** Index where the line ends, exclusive. */
  public int lineEnd() {
    return lineEnd;
  }

  /** Whether the line holds a NUL: servers before 1.6.40 end the line there. */
  public boolean hasNul() {
    return hasNul;
  }

  /**
   * Whether the bytes are those that this gateway would write for the same tokens. There is one
   * space between two tokens, and none before or after them. The end is CRLF if {@link
   * #wrapWithEnd} has read it.
   */
  public boolean isRegular() {
    return regular;
  }

  /** Index where token {@code token} starts. */
  public int start(int token) {
    return starts[token];
  }

  /** Index where token {@code token} ends, exclusive. */
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
