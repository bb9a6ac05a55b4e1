package sluice.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Value to store, and the result; one instance, used again and again. Borrows its buffer. */
final class StoreRequest {
  StoreMode mode = StoreMode.SET;
  int flags;

  /** Second since the epoch at which the item expires, unsigned; 0 for never. */
  int expiry;

  ByteBuf source = Unpooled.EMPTY_BUFFER;
  int from;
  int length;

  /** The cas unique that the existing item must have; 0 for none. */
  long compareCas;

  /** The cas unique of the new state. */
  long newCas;

  /** Whether an older {@link #compareCas} stores the value marked as stale. */
  boolean allowStale;

  /** Result: the cas unique of the stored item, 0 if nothing was stored. */
  long storedCas;

  /** Result: the item that was stored. */
  int storedItem;

  /** Result: the length of the whole stored value. */
  int storedLength;

  StoreRequest reset(StoreMode mode) {
    this.mode = mode;
    flags = 0;
    expiry = 0;
    source = Unpooled.EMPTY_BUFFER;
    from = 0;
    length = 0;
    compareCas = 0;
    newCas = 0;
    allowStale = false;
    storedCas = 0;
    storedLength = 0;
    storedItem = Segment.NONE;
    return this;
  }
}
