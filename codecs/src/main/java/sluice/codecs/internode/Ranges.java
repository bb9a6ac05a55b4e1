package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import sluice.codecs.buffer.Bytes;

/**
 * Ranges of buffers that together are the plain bytes of one frame. It borrows the buffers, which
 * their owner keeps until the ranges are {@link #clear}ed. Used again and again.
 */
final class Ranges {
  private ByteBuf[] buffers = new ByteBuf[8];
  private int[] starts = new int[8];
  private int[] lengths = new int[8];
  private int count;
  private int length;
  private int next; // range in which the bytes for addNext begin
  private int nextOffset; // their offset in that range

  /** Adds a range; one that continues the last range extends it. */
  void add(ByteBuf buffer, int start, int bytes) {
    if (bytes == 0) {
      return;
    }
    length += bytes;
    int last = count - 1;
    if (count > 0 && buffers[last] == buffer && starts[last] + lengths[last] == start) {
      lengths[last] += bytes;
      return;
    }
    if (count == buffers.length) {
      buffers = Arrays.copyOf(buffers, 2 * count);
      starts = Arrays.copyOf(starts, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
    }
    buffers[count] = buffer;
    starts[count] = start;
    lengths[count++] = bytes;
  }

  /** Adds all of another's ranges. */
  void addAll(Ranges other) {
    for (int i = 0; i < other.count; i++) {
      add(other.buffers[i], other.starts[i], other.lengths[i]);
    }
  }

  /** Adds the next bytes of another: those after all that were added in this way before. */
  void addNext(Ranges other, int bytes) {
    while (bytes > 0) {
      int i = other.next;
      int here = Math.min(bytes, other.lengths[i] - other.nextOffset);
      add(other.buffers[i], other.starts[i] + other.nextOffset, here);
      bytes -= here;
      other.nextOffset += here;
      if (other.nextOffset == other.lengths[i]) {
        other.next++;
        other.nextOffset = 0;
      }
    }
  }

  /** Moves the bytes together, from an index on. All must be in one buffer, after that index. */
  void join(int index) {
    int end = index;
    for (int i = 0; i < count; i++) {
      if (starts[i] != end) {
        buffers[i].setBytes(end, buffers[i], starts[i], lengths[i]);
      }
      end += lengths[i];
    }
  }

  int count() {
    return count;
  }

  /** Length of all ranges, in bytes. */
  int length() {
    return length;
  }

  ByteBuf buffer(int i) {
    return buffers[i];
  }

  int start(int i) {
    return starts[i];
  }

  int length(int i) {
    return lengths[i];
  }

  /** Appends bytes, which begin at an index of one range, to out. */
  void copyTo(ByteBuf out, int range, int index, int bytes) {
    while (bytes > 0) {
      int here = Math.min(bytes, starts[range] + lengths[range] - index);
      Bytes.append(buffers[range], index, here, out);
      bytes -= here;
      if (bytes > 0) {
        index = starts[++range];
      }
    }
  }

  /** Appends all bytes to out. */
  void copyTo(ByteBuf out) {
    for (int i = 0; i < count; i++) {
      Bytes.append(buffers[i], starts[i], lengths[i], out);
    }
  }

  void clear() {
    Arrays.fill(buffers, 0, count, null);
    count = 0;
    length = 0;
    next = 0;
    nextOffset = 0;
  }
}
