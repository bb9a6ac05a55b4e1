package sluice.codecs.memcached.bridge;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Canonical reply: a server's answer, independent of its dialect. A reader fills it, a writer reads
 * it; one instance for each server connection, used again and again. The fields are not
 * encapsulated, so that code on the reply's path can change them.
 *
 * <p>Ranges lie in the buffer that was read, and are valid until the call that read it returns.
 */
public final class Reply {
  /** There is no value, not even an empty one. */
  public static final int NO_VALUE = -1;

  private static final int MOST_STATES = 3;

  public Status status = Status.OK;

  /** The item's flags. */
  public int flags;

  /** The item's cas unique; 0 if the server did not report it. */
  public long cas;

  /** Length of the value that follows in bytes, or {@link #NO_VALUE}. */
  public int valueLength;

  /**
   * Length of the item's value in bytes, which need not follow; -1 if the server did not report it.
   */
  public long size;

  /** A counter's new value. */
  public long number;

  /** Remaining seconds to live; -1 without end. */
  public long ttl;

  public boolean hitBefore;

  /** Seconds since the item was read. */
  public long lastAccess;

  /** Whether the reply continues: another line or packet follows the value. */
  public boolean goesOn;

  /** Text of an error, a version, or the value of a statistic. */
  final ByteRange text = new ByteRange();

  /** The name of a statistic. */
  final ByteRange name = new ByteRange();

  /** The item's meta states (W, X, Z), in the order received. */
  final byte[] states = new byte[MOST_STATES];

  int stateCount;

  /** Resets all fields. */
  public Reply clear(Status status) {
    this.status = status;
    flags = 0;
    cas = 0;
    valueLength = NO_VALUE;
    size = -1;
    number = 0;
    ttl = 0;
    hitBefore = false;
    lastAccess = 0;
    goesOn = false;
    text.reset();
    name.reset();
    stateCount = 0;
    return this;
  }

  /** Copies another reply, without its text. */
  public void set(Reply other) {
    clear(other.status);
    flags = other.flags;
    cas = other.cas;
    valueLength = other.valueLength;
    size = other.size;
    number = other.number;
    ttl = other.ttl;
    hitBefore = other.hitBefore;
    lastAccess = other.lastAccess;
    goesOn = other.goesOn;
    System.arraycopy(other.states, 0, states, 0, other.stateCount);
    stateCount = other.stateCount;
  }

  /** Sets the length of a value that follows. */
  public void value(int length) {
    valueLength = length;
    size = length;
  }

  /** Sets the error's text: a line without its line end, [from, to) of in. Borrows in. */
  public void error(ByteBuf in, int from, int to) {
    text.set(in, from, to);
  }

  /** Whether a meta server reported that the item is stale, or which client is to write it. */
  public boolean hasStates() {
    return stateCount > 0;
  }

  /** The server's own error line; null if there is none. */
  public @Nullable String errorText() {
    return hasText() ? text.buffer.toString(text.from, text.length(), ISO_8859_1) : null;
  }

  boolean hasText() {
    return text.length() > 0;
  }

  void state(byte letter) {
    if (stateCount < MOST_STATES) {
      states[stateCount++] = letter;
    }
  }
}
