package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.util.ByteProcessor;

/**
 * Finds a string of bytes in a value that lies in pieces, across their borders too. Occurrences are
 * asked for from front to back, and all of them together cost as much time as the value has bytes
 * and pieces, whatever both strings are.
 *
 * <p>It goes from one of the string's least common bytes to the next and compares there. A value
 * that has too many of them, so that comparing would take longer than looking at each byte, is gone
 * through as Knuth, Morris and Pratt do from there on.
 *
 * <p>Allocates nothing after its construction. Owned by one thread.
 */
public final class ByteSearch implements ByteProcessor {
  /** What {@link #next} returns when there is none. */
  public static final int NONE = Integer.MAX_VALUE;

  /** Bytes of text and records, the commonest first, more or less; all others are rarer. */
  private static final String COMMON =
      "\0 etaoinsrhldcumfpg0123456789wybvk\"',.:/-_=\nETAOINSRHLDCUMFPGWYBVK;<>()jxqzJXQZ\r\u00ff";

  /** Comparing may look at this many bytes more than it has skipped. */
  private static final int PATIENCE = 4096;

  private final byte[] wanted;
  private final byte rare;
  private final int rareAt;
  private final int[] borders; // of each prefix: how long a prefix of it it also ends with

  private ByteQueue value;
  private int piece;
  private int pieceStart;
  private long compared;
  private int at; // comparing: offset from which the rare byte is looked for; else: the next byte's
  private boolean automaton;
  private int matched; // by the automaton

  /**
   * @param wanted what to find, at least one byte; it is copied
   */
  public ByteSearch(byte[] wanted) {
    if (wanted.length == 0) {
      throw new IllegalArgumentException("nothing to find");
    }
    this.wanted = wanted.clone();
    rareAt = rarest(wanted);
    rare = wanted[rareAt];
    borders = borders(wanted);
  }

  private static int rarest(byte[] bytes) {
    int best = 0;
    for (int i = 1; i < bytes.length; i++) {
      if (rarity(bytes[i]) >= rarity(bytes[best])) {
        best = i;
      }
    }
    return best;
  }

  private static int rarity(byte value) {
    int common = COMMON.indexOf((char) (value & 0xFF));
    return common < 0 ? COMMON.length() : common;
  }

  private static int[] borders(byte[] bytes) {
    int[] borders = new int[bytes.length];
    int length = 0;
    for (int i = 1; i < bytes.length; i++) {
      while (length > 0 && bytes[i] != bytes[length]) {
        length = borders[length - 1];
      }
      if (bytes[i] == bytes[length]) {
        length++;
      }
      borders[i] = length;
    }
    return borders;
  }

  /** Bytes of what is looked for. */
  public int length() {
    return wanted.length;
  }

  /** Begins with a value, which must stay as it is until the last {@link #next}. Borrows it. */
  public ByteSearch begin(ByteQueue value) {
    this.value = value;
    piece = 0;
    pieceStart = 0;
    compared = 0;
    at = 0;
    automaton = false;
    matched = 0;
    return this;
  }

  /**
   * The offset of the first occurrence that starts at from or behind it.
   *
   * @param from not before an occurrence that was found already, nor before any from of earlier
   */
  public int next(int from) {
    if (value.length() - from < wanted.length) {
      return NONE;
    }
    if (!automaton) {
      int found = byComparing(from);
      if (found >= 0) {
        return found;
      }
    }
    return byAutomaton(from);
  }

  /** Its answer, or a negative number if the automaton has to go on. */
  private int byComparing(int from) {
    at = Math.max(at, from + rareAt);
    for (; piece < value.pieces(); piece++) {
      ByteBuf bytes = value.pieceAt(piece);
      int start = bytes.readerIndex() - pieceStart;
      int end = pieceStart + bytes.readableBytes();
      while (at < end) {
        int index = bytes.indexOf(at + start, end + start, rare);
        if (index < 0) {
          at = end;
          break;
        }
        int candidate = index - start - rareAt;
        at = index - start + 1;
        if (candidate + wanted.length > value.length()) {
          return NONE;
        }
        if (isAt(candidate, bytes, start, end)) {
          return candidate;
        }
        if (compared > at + (long) PATIENCE) {
          automaton = true;
          goTo(candidate + 1);
          return -1;
        }
      }
      pieceStart = end;
    }
    return NONE;
  }

  private boolean isAt(int offset, ByteBuf bytes, int start, int end) {
    if (offset < pieceStart || offset + wanted.length > end) {
      return isAcross(offset);
    }
    int index = offset + start;
    for (int i = 0; i < wanted.length; i++) {
      compared++;
      if (bytes.getByte(index + i) != wanted[i]) {
        return false;
      }
    }
    return true;
  }

  private boolean isAcross(int offset) {
    int number = piece;
    int start = pieceStart;
    while (offset < start) {
      compared++;
      start -= value.pieceAt(--number).readableBytes();
    }
    ByteBuf bytes = value.pieceAt(number);
    for (int i = 0; i < wanted.length; i++) {
      while (offset + i >= start + bytes.readableBytes()) {
        start += bytes.readableBytes();
        bytes = value.pieceAt(++number);
      }
      compared++;
      if (bytes.getByte(bytes.readerIndex() + offset + i - start) != wanted[i]) {
        return false;
      }
    }
    return true;
  }

  private int byAutomaton(int from) {
    while (matched > 0 && at - matched < from) {
      matched = borders[matched - 1];
    }
    at = Math.max(at, from);
    for (; piece < value.pieces(); piece++) {
      ByteBuf bytes = value.pieceAt(piece);
      int start = bytes.readerIndex() - pieceStart;
      int end = pieceStart + bytes.readableBytes();
      int index = at < end ? bytes.forEachByte(at + start, end - at, this) : -1;
      if (index >= 0) {
        at = index - start + 1;
        int found = at - wanted.length;
        matched = borders[wanted.length - 1];
        return found;
      }
      at = end;
      pieceStart = end;
    }
    return NONE;
  }

  /** Back to a byte. */
  private void goTo(int offset) {
    at = offset;
    while (offset < pieceStart) {
      pieceStart -= value.pieceAt(--piece).readableBytes();
    }
  }

  /** One step of the automaton: whether to go on. */
  @Override
  public boolean process(byte next) {
    while (matched > 0 && next != wanted[matched]) {
      matched = borders[matched - 1];
    }
    if (next == wanted[matched]) {
      matched++;
    }
    return matched < wanted.length;
  }
}
