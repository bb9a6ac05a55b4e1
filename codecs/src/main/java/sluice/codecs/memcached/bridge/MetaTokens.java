package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.text.MetaErrors;
import sluice.codecs.memcached.text.MetaFlag;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextLine;

/**
 * Tokens of a meta line that the canonical request has no fields for: those that the reply repeats,
 * those whose order counts, and those that no other dialect can express.
 */
final class MetaTokens {
  static final int MOST = StorageLine.MAX_META_TOKENS;

  /** The line that contains the tokens; null in other dialects. */
  @Nullable TextLine line;

  /** Errors of the flags, while the line is read. */
  final MetaErrors errors = new MetaErrors();

  private @Nullable TextLine keptLine; // null before the first

  /** The letters that a meta reply repeats or fills in, in the requested order. */
  final byte[] order = new byte[MOST];

  int orderLength;

  /** The token with the client's opaque, or -1. */
  int opaque;

  /** The token that asks for the remaining time to live, 0 if there is none. */
  int timeLeft;

  /** Tokens of flags that no other dialect can express. */
  final int[] rest = new int[MOST];

  int restLength;

  /** Bits of the flags among {@link #rest} that must not be left out. */
  private long needed;

  void reset() {
    line = null;
    orderLength = 0;
    opaque = -1;
    timeLeft = 0;
    restLength = 0;
    needed = 0;
  }

  /** Copies others, of the same line. */
  void set(MetaTokens other) {
    line = other.line;
    System.arraycopy(other.order, 0, order, 0, other.orderLength);
    orderLength = other.orderLength;
    opaque = other.opaque;
    timeLeft = other.timeLeft;
    System.arraycopy(other.rest, 0, rest, 0, other.restLength);
    restLength = other.restLength;
    needed = other.needed;
  }

  /**
   * Appends the bytes of other's line to store, where this line lies from now on. The tokens were
   * copied before. Borrows store.
   *
   * @return number of bytes by which the line was moved
   */
  int keepLine(TextLine other, ByteBuf store) {
    int from = other.start(0);
    int to = other.end(other.count() - 1);
    int moved = store.writerIndex() - from;
    store.writeBytes(other.buffer(), from, to - from);
    keptLine = keptLine == null ? new TextLine() : keptLine;
    line = keptLine.wrap(store, from + moved, to + moved);
    return moved;
  }

  /**
   * Copies the client's opaque to a buffer that has room for it; returns its length, 0 if there is
   * none.
   */
  int copyOpaque(byte[] to) {
    if (line == null || opaque < 0) {
      return 0;
    }
    int from = line.start(opaque) + 1;
    int length = line.end(opaque) - from;
    line.buffer().getBytes(from, to, 0, length);
    return length;
  }

  /** Makes the reply repeat or fill in a flag. */
  void repeat(MetaFlag flag) {
    order[orderLength++] = flag.letter();
  }

  /** Keeps a flag that only meta can express. */
  void keep(int token) {
    rest[restLength++] = token;
  }

  /** Keeps a flag that changes what is done, which other dialects may be unable to express. */
  void keepNeeded(int token, MetaFlag flag) {
    keep(token);
    needed |= flag.bit();
  }

  /** Leaves out a token of a flag that need not be kept. */
  void leaveOut(int token) {
    int kept = 0;
    for (int i = 0; i < restLength; i++) {
      if (rest[i] != token) {
        rest[kept++] = rest[i];
      }
    }
    restLength = kept;
  }

  /** Whether there are flags that must not be left out. */
  boolean hasNeeded() {
    return needed != 0;
  }

  /** Whether this is one of the flags that must not be left out. */
  boolean needs(MetaFlag flag) {
    return (needed & flag.bit()) != 0;
  }

  /** The letter of the first flag that must not be left out, or 0. */
  byte firstNeeded() {
    for (int i = 0; needed != 0 && i < restLength; i++) {
      MetaFlag flag = line == null ? null : MetaFlag.of(line.buffer().getByte(line.start(rest[i])));
      if (flag != null && needs(flag)) {
        return flag.letter();
      }
    }
    return 0;
  }

  /** The length of the line in bytes, 0 if there is none. */
  int length() {
    return line == null ? 0 : line.end(line.count() - 1) - line.start(0);
  }
}
