package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;

/**
 * Makes slices for one event loop, without an object for the collector: those that are released are
 * used again. Owned by the thread that takes them. Whoever has one may release it on any thread,
 * and so may those who have made a slice of it; elsewhere than at home it is left to the collector.
 */
public final class Slices {
  private static final int MOST_KEPT = 1024;
  private static final int ALWAYS_KEPT = 64;

  private final Spares<RecycledSlice> free = new Spares<>(MOST_KEPT);
  private Thread home; // null until the first is taken

  /**
   * The bytes [from, from + length) of source, as {@link ByteBuf#retainedSlice}. Retains source, or
   * what that is a slice of: slices do not nest. The caller owns the result.
   */
  public ByteBuf take(ByteBuf source, int from, int length) {
    if (home == null) {
      home = Thread.currentThread();
    }
    RecycledSlice slice = free.take();
    if (slice == null) {
      slice = new RecycledSlice(this);
    }
    if (source instanceof RecycledSlice outer) { // of no other, then
      return slice.of(outer.unwrap(), outer.offset() + from, length);
    }
    return slice.of(source, from, length);
  }

  /** Called at intervals: drops slices that nobody has needed since the last call. */
  public void trim() {
    for (int i = Math.min(free.surplus(), free.count() - ALWAYS_KEPT); i > 0; i--) {
      free.take();
    }
    free.settle();
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
    return source instanceof RecycledSlice slice
        ? slice.unwrap().retainedSlice(slice.offset() + from, length)
        : source.retainedSlice(from, length);
  }

  void give(RecycledSlice slice) {
    if (Thread.currentThread() != home) {
      return; // whoever takes one at home at this moment must not get this one, too
    }
    free.give(slice); // or leaves it to the collector
  }
}
