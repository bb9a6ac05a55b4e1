package sluice.codecs.internode.address;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import sluice.codecs.buffer.Bytes;

/**
 * What is to be replaced in a range of a buffer, in order of offsets: old bytes, and the bytes that
 * take their place. Used again and again; it keeps its room and nothing of the buffer.
 */
final class Splices {
  private int[] offsets = new int[16];
  private int[] lengths = new int[16];
  private int[] ends = new int[16]; // in store: where the new bytes end, and the next ones begin
  private int count;
  private int oldBytes;
  private final ByteBuf store = Unpooled.buffer(512);

  /**
   * Begins a replacement: its new bytes are to be appended to what is returned, then {@link #end}.
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

  /** Bytes that go. */
  int length(int i) {
    return lengths[i];
  }

  /** Bytes that come. */
  int newLength(int i) {
    return ends[i] - newIndex(i);
  }

  private int newIndex(int i) {
    return i == 0 ? 0 : ends[i - 1];
  }

  void writeNew(int i, ByteBuf out) {
    Bytes.append(store, newIndex(i), newLength(i), out);
  }

  /** How many bytes longer everything becomes. */
  int growth() {
    return store.writerIndex() - oldBytes;
  }

  /** Forgets all but the first ones. */
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
