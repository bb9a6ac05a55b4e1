package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Pool of slice objects for one event loop: released slices are used again, so that in steady
 * state, none is left to the collector. Only the owning thread takes slices. Any thread may release
 * a slice or a slice of it; on another thread the object is left to the collector.
 */
public final class Slices {
  private static final int MOST_KEPT = 1024;
  private static final int ALWAYS_KEPT = 64;

  private final Spares<RecycledSlice> free = new Spares<>(MOST_KEPT);
  private @Nullable Thread home; // null until the first is taken

  /**
   * A slice of the bytes [from, from + length) of source, as {@link ByteBuf#retainedSlice}. Retains
   * source, or the buffer that source is itself a slice of: slices do not nest. The caller owns the
   * result.
   */
  public ByteBuf take(ByteBuf source, int from, int length) {
    if (home == null) {
      home = Thread.currentThread();
    }
    RecycledSlice slice = free.take();
    if (slice == null) {
      slice = new RecycledSlice(this);
    }
    if (source instanceof RecycledSlice outer) { // which then is a slice of no other
      return slice.of(outer.unwrap(), outer.offset() + from, length);
    }
    return slice.of(source, from, length);
  }

  /** Called at intervals: drops slices that were unused since the last call. */
  public void trim() {
    for (int i = Math.min(free.surplus(), free.count() - ALWAYS_KEPT); i > 0; i--) {
      free.take();
    }
    free.settle();
  }

  /** A slice of the next length bytes of source, whose reader index advances; as {@link #take}. */
  public ByteBuf takeNext(ByteBuf source, int length) {
    int from = source.readerIndex();
    ByteBuf slice = take(source, from, length);
    source.readerIndex(from + length);
    return slice;
  }

  /**
   * The bytes [from, from + length) of source, as a buffer that another thread may release. Retains
   * the buffer that source is a slice of; the caller owns the result.
   */
  public static ByteBuf forAnyThread(ByteBuf source, int from, int length) {
    return source instanceof RecycledSlice slice
        ? slice.unwrap().retainedSlice(slice.offset() + from, length)
        : source.retainedSlice(from, length);
  }

  void give(RecycledSlice slice) {
    if (Thread.currentThread() != home) {
      return; // the home thread may be taking a slice at this moment, and must not get this one
    }
    free.give(slice); // or leaves it to the collector
  }
}
