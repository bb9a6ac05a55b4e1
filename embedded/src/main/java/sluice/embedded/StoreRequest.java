package sluice.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Value to store, the condition for it, and the result; one instance, used again and again. Borrows
 * its buffer.
 */
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

  /** Forgets the result, so that nothing is {@link #copied}. */
  void forget() {
    length = 0;
    storedLength = 0;
  }

  /** Result: bytes of the existing value that the stored one has, too. */
  int copied() {
    return Math.max(0, storedLength - length); // less than 0 if nothing was stored
  }

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

  /**
   * The reason for not storing the value in place of an item of the segment, or null. Counts the
   * result of a cas comparison, and marks an item that an add found as used.
   *
   * @param old {@link Segment#NONE} if the key has no item
   */
  @Nullable StoreOutcome refusal(Segment segment, int old, long now) {
    if (old == Segment.NONE) {
      return switch (mode) {
        case CAS -> {
          segment.count(Counter.CAS_MISSES);
          yield StoreOutcome.NOT_FOUND;
        }
        case REPLACE, APPEND, PREPEND -> StoreOutcome.NOT_STORED;
        default -> null;
      };
    }
    boolean matches = compareCas == segment.cas(old);
    return switch (mode) {
      case ADD -> {
        segment.used(old, now);
        yield StoreOutcome.NOT_STORED;
      }
      case CAS -> {
        boolean older = allowStale && Long.compareUnsigned(compareCas, segment.cas(old)) < 0;
        boolean fits = compareCas != 0 && (matches || older);
        segment.count(fits ? Counter.CAS_HITS : Counter.CAS_BADVAL);
        yield fits ? null : StoreOutcome.EXISTS;
      }
      case SET, REPLACE -> null;
      default -> compareCas == 0 || matches ? null : StoreOutcome.EXISTS;
    };
  }
}
