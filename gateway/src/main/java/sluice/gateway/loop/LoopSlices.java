package sluice.gateway.loop;

import io.netty.buffer.ByteBuf;

/** The slices of one event loop that are not in use. */
final class LoopSlices {
  private static final int KEPT = 1024;

  private final LoopSlice[] free = new LoopSlice[KEPT];
  private int count;

  /** The bytes [from, from + length) of source. Retains source; the caller owns the result. */
  LoopSlice take(ByteBuf source, int from, int length) {
    LoopSlice slice = count > 0 ? free[--count] : new LoopSlice(this);
    return slice.of(source, from, length);
  }

  void give(LoopSlice slice) {
    if (count < KEPT) {
      free[count++] = slice;
    }
  }
}
