package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Makes slices for one event loop, without an object for the collector: those that are released are
 * used again. Owned by the thread that takes them. Whoever has one may release it on any thread,
 * and so may those who have made a slice of it; elsewhere than at home it is left to the collector.
 */
public final class Slices {
  private static final int MOST_KEPT = 1024;

  private RecycledSlice[] free = new RecycledSlice[16];
  private Thread home; // null until the first is taken
  private int count;

  /**
   * The bytes [from, from + length) of source, as {@link ByteBuf#retainedSlice}. Retains source;
   * the caller owns the result.
   */
  public ByteBuf take(ByteBuf source, int from, int length) {
    if (home == null) {
      home = Thread.currentThread();
    }
    RecycledSlice slice = count > 0 ? free[--count] : new RecycledSlice(this);
    return slice.of(source, from, length);
  }

  /** The next length bytes of source, over which it advances; as {@link #take}. */
  public ByteBuf takeNext(ByteBuf source, int length) {
    int from = source.readerIndex();
    ByteBuf slice = take(source, from, length);
    source.readerIndex(from + length);
    return slice;
  }

  /**
   * The bytes [from, from + length) of source, as a buffer that another thread is to release.
   * Retains what source is a part of; the caller owns the result.
   */
  public static ByteBuf forAnyThread(ByteBuf source, int from, int length) {
    ByteBuf whole = source;
    int start = from;
    while (whole instanceof RecycledSlice slice) {
      start += slice.offset();
      whole = slice.unwrap();
    }
    return whole.retainedSlice(start, length);
  }

  void give(RecycledSlice slice) {
    if (Thread.currentThread() != home) {
      return; // whoever takes one at home at this moment must not get this one, too
    }
    if (count == free.length && count < MOST_KEPT) {
      free = Arrays.copyOf(free, 2 * count);
    }
    if (count < free.length) {
      free[count++] = slice;
    }
  }
}
