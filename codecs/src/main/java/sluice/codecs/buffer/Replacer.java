package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Replacement of byte strings in values that lie in several buffers. Occurrences are replaced from
 * front to back and do not overlap. Where several start at the same byte, the replacement listed
 * first wins. Inserted bytes are not searched again.
 *
 * <p>The time is proportional to the sum of bytes, buffers and occurrences, for each replacement
 * listed. Only remainders of a buffer shorter than 1,024 bytes are copied, and the bytes inserted
 * beside them.
 *
 * <p>Belongs to one event loop, and allocates nothing in steady state.
 */
public final class Replacer {
  private final ByteSearch[] searches;
  private final int[] nextAt; // for each search
  private final ByteBuf[] with;
  private int[] offsets = new int[16]; // of the occurrences
  private int[] which = new int[16];
  private int count;

  /** A replacer for any number of values of one event loop. */
  public Replacer(List<Replacement> replacements) {
    int number = replacements.size();
    searches = new ByteSearch[number];
    nextAt = new int[number];
    with = new ByteBuf[number];
    for (int i = 0; i < number; i++) {
      byte[] bytes = replacements.get(i).with();
      searches[i] = new ByteSearch(replacements.get(i).find());
      // The JVM frees this memory once nothing refers to it: values keep it longer than the
      // replacer.
      with[i] = Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(bytes.length).put(0, bytes));
    }
  }

  /**
   * Finds the occurrences in a value, for {@link #move}. Borrows value.
   *
   * @return the length of the value after replacement, in bytes
   */
  public long lengthAfter(SliceList value) {
    count = 0;
    for (int i = 0; i < searches.length; i++) {
      nextAt[i] = searches[i].begin(value).next(0);
    }
    long length = value.length();
    for (int best = first(); nextAt[best] != ByteSearch.NONE; best = first()) {
      int offset = nextAt[best];
      record(offset, best);
      length += with[best].readableBytes() - searches[best].length();
      int end = offset + searches[best].length();
      for (int i = 0; i < searches.length; i++) {
        if (nextAt[i] < end) {
          nextAt[i] = searches[i].next(end);
        }
      }
    }
    return length;
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

  private void record(int offset, int replacement) {
    if (count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
      which = Arrays.copyOf(which, 2 * count);
    }
    offsets[count] = offset;
    which[count++] = replacement;
  }

  /**
   * Moves the value to the end of another queue with the occurrences replaced that the last {@link
   * #lengthAfter} found in this same value. The value is empty afterwards.
   */
  public void move(SliceList value, SliceList to) {
    if (count == 0) {
      value.moveTo(to, value.length());
      return;
    }
    int at = 0;
    ByteBufAllocator allocator = value.sliceAt(0).alloc(); // the inserted buffers have none
    for (int i = 0; i < count; i++) {
      ByteBuf put = with[which[i]];
      int end = offsets[i] + searches[which[i]].length();
      int before = offsets[i] - at;
      int behind = (i + 1 < count ? offsets[i + 1] : at + value.length()) - end;
      value.moveTo(to, before);
      value.skip(end - offsets[i]);
      if (SliceList.isCopied(before) || SliceList.isCopied(behind)) {
        to.addRange(put, 0, put.readableBytes(), allocator); // together with these
      } else {
        to.addSlice(put, 0, put.readableBytes());
      }
      at = end;
    }
    value.moveTo(to, value.length());
  }

  /** Whether the last {@link #lengthAfter} found anything. */
  public boolean found() {
    return count > 0;
  }
}
