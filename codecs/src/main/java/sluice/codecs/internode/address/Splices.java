package sluice.codecs.internode.address;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import sluice.codecs.buffer.Bytes;

/**
 * Replacements in a range of a buffer, in order of offsets: old ranges, and the bytes that replace
 * them. Used again and again. It keeps no reference to the buffer, and no more memory than usual
 * messages need.
 */
final class Splices {
  /**
   * The most replacements of addresses. A peer can fill a message with one address, and each
   * occurrence takes more memory here than in the message. A gossip message about thousands of
   * nodes has fewer.
   */
  static final int MOST = 16 * 1024;

  private static final int FEWEST = 16;
  private static final int STORE = 512;

  // Larger memory is left to the collector once the replacements are cleared.
  private static final int MOST_KEPT = 1024;
  private static final int MOST_STORE_KEPT = 32 * 1024;

  private int[] offsets = new int[FEWEST];
  private int[] lengths = new int[FEWEST];
  // index in store at which each replacement's new bytes end, and the next one's begin
  private int[] ends = new int[FEWEST];
  private int count;
  private int oldBytes;
  private ByteBuf store = Unpooled.buffer(STORE);

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

  /** Whether further replacements of addresses are within the bound. */
  boolean hasRoom(int more) {
    return count + more <= MOST;
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

  /** Drops all replacements, and the memory that only a large message needed. */
  void clear() {
    count = 0;
    oldBytes = 0;
    store.writerIndex(0);
    if (offsets.length > MOST_KEPT) {
      offsets = new int[FEWEST];
      lengths = new int[FEWEST];
      ends = new int[FEWEST];
    }
    if (store.capacity() > MOST_STORE_KEPT) {
      store = Unpooled.buffer(STORE);
    }
  }
}
