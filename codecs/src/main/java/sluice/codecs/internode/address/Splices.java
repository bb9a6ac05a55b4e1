package sluice.codecs.internode.address;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import sluice.codecs.buffer.Bytes;

/**
 * Replacements in a range of a buffer, in order of offsets: old ranges, and the bytes that take
 * their place. Used again and again; it keeps its memory and no reference to the buffer.
 */
final class Splices {
  private int[] offsets = new int[16];
  private int[] lengths = new int[16];
  // index in store at which each replacement's new bytes end, and the next one's begin
  private int[] ends = new int[16];
  private int count;
  private int oldBytes;
  private final ByteBuf store = Unpooled.buffer(512);

  /**
   * Begins a replacement. The caller appends its new bytes to the result and calls {@link #end}.
   */
  ByteBuf begin(int offset, int length) {
    if (count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
    }
    offsets[count] = offset;
    lengths[count] = length;
    return store;
  }

  void end() {
    oldBytes += lengths[count];
    ends[count++] = store.writerIndex();
  }

  int count() {
    return count;
  }

  int offset(int i) {
    return offsets[i];
  }

  /** Number of bytes being replaced. */
  int length(int i) {
    return lengths[i];
  }

  /** Number of new bytes. */
  int newLength(int i) {
    return ends[i] - newIndex(i);
  }

  private int newIndex(int i) {
    return i == 0 ? 0 : ends[i - 1];
  }

  void writeNew(int i, ByteBuf out) {
    Bytes.append(store, newIndex(i), newLength(i), out);
  }

  /** Growth of the whole range, in bytes. */
  int growth() {
    return store.writerIndex() - oldBytes;
  }

  /** Drops all but the first replacements. */
  void truncate(int newCount) {
    while (count > newCount) {
      oldBytes -= lengths[--count];
    }
    store.writerIndex(newIndex(count));
  }

  void clear() {
    truncate(0);
  }
}
