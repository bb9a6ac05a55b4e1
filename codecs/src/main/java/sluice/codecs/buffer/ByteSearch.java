package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.util.ByteProcessor;

/**
 * Search for a byte string in a value that is spread over several buffers, also across their
 * borders. Occurrences are searched from front to back. All searches of one value together take
 * time proportional to its bytes and buffers, independent of both contents.
 *
 * <p>The search skips from one occurrence of the string's rarest byte to the next and compares
 * there. If comparing all candidates in a value would take longer than reading each byte, the
 * search continues as a Knuth-Morris-Pratt automaton.
 *
 * <p>Allocates nothing after its construction. Owned by one thread.
 */
public final class ByteSearch implements ByteProcessor {
  /** Returned by {@link #next} when there is no further occurrence. */
  public static final int NONE = Integer.MAX_VALUE;

  /**
   * Bytes frequent in text and records, roughly the most frequent first; all others count as rarer.
   */
  private static final String COMMON =
      "\0 etaoinsrhldcumfpg0123456789wybvk\"',.:/-_=\nETAOINSRHLDCUMFPGWYBVK;<>()jxqzJXQZ\r\u00ff";

  /** Comparing may read this many more bytes than the search has skipped. */
  private static final int MOST_EXCESS = 4096;

  private final byte[] wanted;
  private final byte rare;
  private final int rareAt;
  private final int[] borders; // for each prefix: the length of its longest border

  @SuppressWarnings("NullAway.Init") // nothing is searched before a search begins
  private SliceList value;

  private int slice;
  private int sliceStart;
  private long compared;
  // while comparing: where the search for the rare byte continues; else: the next byte's offset
  private int at;
  private boolean automaton;
  private int matched; // bytes that the automaton has matched

  /**
   * @param wanted the byte string to find, at least one byte; copied
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

  /** Length of the byte string, in bytes. */
  public int length() {
    return wanted.length;
  }

  /**
   * Begins the search of a value, which must not change until the last {@link #next}. Borrows it.
   */
  public ByteSearch begin(SliceList value) {
    this.value = value;
    slice = 0;
    sliceStart = 0;
    compared = 0;
    at = 0;
    automaton = false;
    matched = 0;
    return this;
  }

  /**
   * The offset of the first occurrence that starts at from or later.
   *
   * @param from not before an occurrence that was already found, and not before an earlier {@code
   *     from}
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

  /** The result of comparing; a negative number if the automaton has to continue. */
  private int byComparing(int from) {
    at = Math.max(at, from + rareAt);
    for (; slice < value.count(); slice++) {
      ByteBuf bytes = value.get(slice);
      int start = bytes.readerIndex() - sliceStart;
      int end = sliceStart + bytes.readableBytes();
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
        if (compared > at + (long) MOST_EXCESS) {
          automaton = true;
          goTo(candidate + 1);
          return -1;
        }
      }
      sliceStart = end;
    }
    return NONE;
  }

  private boolean isAt(int offset, ByteBuf bytes, int start, int end) {
    if (offset < sliceStart || offset + wanted.length > end) {
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
    int number = slice;
    int start = sliceStart;
    while (offset < start) {
      compared++;
      start -= value.get(--number).readableBytes();
    }
    ByteBuf bytes = value.get(number);
    for (int i = 0; i < wanted.length; i++) {
      while (offset + i >= start + bytes.readableBytes()) {
        start += bytes.readableBytes();
        bytes = value.get(++number);
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
    for (; slice < value.count(); slice++) {
      ByteBuf bytes = value.get(slice);
      int start = bytes.readerIndex() - sliceStart;
      int end = sliceStart + bytes.readableBytes();
      int index = at < end ? bytes.forEachByte(at + start, end - at, this) : -1;
      if (index >= 0) {
        at = index - start + 1;
        int found = at - wanted.length;
        matched = borders[wanted.length - 1];
        return found;
      }
      at = end;
      sliceStart = end;
    }
    return NONE;
  }

  /** Moves the position back to a byte. */
  private void goTo(int offset) {
    at = offset;
    while (offset < sliceStart) {
      sliceStart -= value.get(--slice).readableBytes();
    }
  }

  /** One step of the automaton; returns whether to continue. */
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
