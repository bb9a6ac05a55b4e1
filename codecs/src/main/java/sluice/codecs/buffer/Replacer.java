package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Replacement of byte strings in values that are spread over several buffers. Occurrences are
 * replaced from front to back and do not overlap. Where several start at the same byte, the
 * replacement listed first wins. Inserted bytes are not searched again.
 *
 * <p>The time is proportional to the sum of bytes, buffers and occurrences, for each replacement
 * listed. Only remainders of a buffer shorter than 1,024 bytes are copied, and the bytes inserted
 * beside them.
 *
 * <p>The offsets of a limited number of occurrences are kept at a time. The rest of a value with
 * more of them is searched twice.
 *
 * <p>Belongs to one event loop, and allocates nothing in steady state.
 */
public final class Replacer {
  /** The most occurrences that are kept: a value can have millions, and their arrays are heap. */
  static final int MOST_KEPT = 4096;

  private static final int KEPT_AT_FIRST = 16;

  private final ByteSearch[] searches;
  private final int[] nextAt; // for each search: its first occurrence behind the kept ones
  private final int[] savedNextAt;
  private final ByteBuf[] with;
  private final int mostKept;
  private int[] offsets = new int[KEPT_AT_FIRST]; // of the occurrences that are kept
  private int[] which = new int[KEPT_AT_FIRST];
  private int count;
  private boolean found;

  /** A replacer for any number of values of one event loop. */
  public Replacer(List<Replacement> replacements) {
    this(replacements, MOST_KEPT);
  }

  /** The same, which keeps so many occurrences at most. */
  Replacer(List<Replacement> replacements, int mostKept) {
    this.mostKept = mostKept;
    int number = replacements.size();
    searches = new ByteSearch[number];
    nextAt = new int[number];
    savedNextAt = new int[number];
    with = new ByteBuf[number];
    for (int i = 0; i < number; i++) {
      byte[] bytes = replacements.get(i).with();
      searches[i] = new ByteSearch(replacements.get(i).find());
      // The JVM frees this memory once nothing refers to it, because values use it longer than the
      // replacer.
      with[i] = Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(bytes.length).put(0, bytes));
    }
  }

  /**
   * Finds the occurrences in a value, for {@link #move}. Borrows value, which must not change
   * before that.
   *
   * @return the length of the value after replacement, in bytes
   */
  public long lengthAfter(SliceList value) {
    for (int i = 0; i < searches.length; i++) {
      nextAt[i] = searches[i].begin(value).next(0);
    }
    long growth = keepNext();
    found = count > 0;
    if (hasMore()) {
      growth += growthOfRest();
    }
    return value.length() + growth;
  }

  /**
   * Keeps the next occurrences, none if there are no more.
   *
   * @return how much longer they make the value
   */
  private long keepNext() {
    count = 0;
    long growth = 0;
    for (int best = first(); nextAt[best] != ByteSearch.NONE; best = first()) {
      if (count == mostKept) {
        break;
      }
      keep(nextAt[best], best);
      growth += pass(best);
    }
    return growth;
  }

  /** How much longer the occurrences behind the kept ones make the value: those are still next. */
  private long growthOfRest() {
    System.arraycopy(nextAt, 0, savedNextAt, 0, nextAt.length);
    long growth = 0;
    for (int best = first(); nextAt[best] != ByteSearch.NONE; best = first()) {
      growth += pass(best);
    }
    System.arraycopy(savedNextAt, 0, nextAt, 0, nextAt.length);
    return growth;
  }

  private boolean hasMore() {
    return nextAt[first()] != ByteSearch.NONE;
  }

  private int first() {
    int best = 0;
    for (int i = 1; i < nextAt.length; i++) {
      if (nextAt[i] < nextAt[best]) {
        best = i;
      }
    }
    return best;
  }

  private void keep(int offset, int replacement) {
    if (count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
      which = Arrays.copyOf(which, 2 * count);
    }
    offsets[count] = offset;
    which[count++] = replacement;
  }

  /** Goes on behind an occurrence, which is the next one; returns how much longer it becomes. */
  private int pass(int replacement) {
    int end = nextAt[replacement] + searches[replacement].length();
    for (int i = 0; i < searches.length; i++) {
      if (nextAt[i] < end) {
        nextAt[i] = searches[i].next(end);
      }
    }
    return with[replacement].readableBytes() - searches[replacement].length();
  }

  /**
   * Moves the value to the end of another queue, and replaces the occurrences that the last {@link
   * #lengthAfter} found in it. The value is empty afterwards.
   */
  public void move(SliceList value, SliceList to) {
    if (found) {
      ByteBufAllocator allocator = value.sliceAt(0).alloc(); // the inserted buffers have none
      moveKept(value, to, allocator);
      while (hasMore()) {
        for (ByteSearch search : searches) {
          search.begin(value); // its front has left
        }
        keepNext();
        moveKept(value, to, allocator);
      }
    }
    value.moveTo(to, value.length());
  }

  /** Moves the value up to the end of the last occurrence that is kept. */
  private void moveKept(SliceList value, SliceList to, ByteBufAllocator allocator) {
    int length = value.length();
    int next = nextAt[first()];
    int at = 0;
    for (int i = 0; i < count; i++) {
      ByteBuf put = with[which[i]];
      int end = offsets[i] + searches[which[i]].length();
      int before = offsets[i] - at;
      int behind = (i + 1 < count ? offsets[i + 1] : Math.min(next, length)) - end;
      value.moveTo(to, before);
      value.skip(end - offsets[i]);
      if (SliceList.isCopied(before) || SliceList.isCopied(behind)) {
        to.addRange(put, 0, put.readableBytes(), allocator); // together with these
      } else {
        to.addSlice(put, 0, put.readableBytes());
      }
      at = end;
    }
    for (int i = 0; i < nextAt.length; i++) {
      nextAt[i] -= nextAt[i] == ByteSearch.NONE ? 0 : at;
    }
  }

  /** Whether the last {@link #lengthAfter} found anything. */
  public boolean found() {
    return found;
  }

  /** The number of occurrences for which there is room. */
  int room() {
    return offsets.length;
  }
}
