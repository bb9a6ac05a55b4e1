package sluice.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.buffer.AsciiNumber;

/**
 * Increment and decrement of a stored value, which is an unsigned 64-bit number in ASCII. An
 * increment wraps; a decrement stops at 0. A shorter result is padded with spaces on the right.
 */
final class Arithmetic {
  /** Result of an operation. */
  enum Outcome {
    DONE,
    NOT_FOUND,
    EXISTS,
    NON_NUMERIC,
    NO_MEMORY
  }

  // A longer value is not a number here; memcached's limit is half a MiB.
  private static final int MAX_VALUE_LENGTH = 1024;

  private final EmbeddedStore store;
  private final ByteBuf digits = Unpooled.buffer(MAX_VALUE_LENGTH, MAX_VALUE_LENGTH);
  private boolean parsed;
  private long value;
  private int item;

  Arithmetic(EmbeddedStore store) {
    this.store = store;
  }

  /** Adds to or subtracts from the value of a key, whose segment must be locked. */
  Outcome apply(
      Segment segment, Key key, boolean increment, long delta, long compareCas, long now) {
    item = segment.find(key, now);
    if (item == Segment.NONE) {
      segment.count(increment ? Counter.INCR_MISSES : Counter.DECR_MISSES);
      return Outcome.NOT_FOUND;
    }
    int length = segment.valueLength(item);
    if (length == 0) {
      return Outcome.NON_NUMERIC;
    }
    if (compareCas != 0 && segment.cas(item) != compareCas) {
      return Outcome.EXISTS;
    }
    if (length > MAX_VALUE_LENGTH) {
      return Outcome.NON_NUMERIC;
    }
    digits.clear();
    segment.readValue(item, digits);
    parse();
    if (!parsed) {
      return Outcome.NON_NUMERIC;
    }
    if (increment) {
      value += delta;
    } else {
      value = Long.compareUnsigned(delta, value) > 0 ? 0 : value - delta;
    }
    segment.count(increment ? Counter.INCR_HITS : Counter.DECR_HITS);
    return write(segment, key, length, now) ? Outcome.DONE : Outcome.NO_MEMORY;
  }

  private boolean write(Segment segment, Key key, int length, long now) {
    format(value);
    long cas = store.nextCas();
    if (digits.readableBytes() > length) {
      int longer = segment.replaceValue(key, item, digits, digits.readableBytes(), cas, now);
      if (longer == Segment.NONE) {
        return false;
      }
      item = longer;
      return true;
    }
    while (digits.readableBytes() < length) {
      digits.writeByte(' ');
    }
    segment.writeValue(item, digits, 0, length);
    segment.cas(item, cas);
    segment.used(item, now);
    return true;
  }

  /** Stores an initial value under a key that has none. */
  StoreOutcome create(Segment segment, Key key, StoreRequest put, long initial, long now) {
    value = initial;
    format(initial);
    put.source = digits;
    put.from = 0;
    put.length = digits.readableBytes();
    StoreOutcome outcome = segment.put(key, put, now);
    item = put.storedItem;
    return outcome;
  }

  private void format(long number) {
    digits.clear();
    AsciiNumber.writeUnsigned(digits, number);
  }

  /**
   * Parses the value as C's strtoull does, which memcached uses: with blanks and a sign before it,
   * and a blank or NUL after it.
   */
  private void parse() {
    int i = 0;
    int end = digits.writerIndex();
    while (i < end && isBlank(digits.getByte(i))) {
      i++;
    }
    boolean negative = i < end && digits.getByte(i) == '-';
    if (negative || (i < end && digits.getByte(i) == '+')) {
      i++;
    }
    int first = i;
    while (i < end && digits.getByte(i) >= '0' && digits.getByte(i) <= '9') {
      i++;
    }
    parsed = AsciiNumber.isUnsigned(digits, first, i) && (i == end || ends(digits.getByte(i)));
    if (parsed) {
      long magnitude = AsciiNumber.unsigned(digits, first, i);
      value = negative ? -magnitude : magnitude;
      parsed = !negative || value >= 0;
    }
  }

  private static boolean ends(byte b) {
    return b == 0 || isBlank(b);
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || (b >= '\t' && b <= '\r');
  }

  /** The result of the last {@link Outcome#DONE}, unsigned. */
  long value() {
    return value;
  }

  /** The item that holds the result. */
  int item() {
    return item;
  }
}
