package sluice.codecs.memcached.bridge;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;

/**
 * What a server answered, without the words of its dialect. A reader fills it, a writer looks at
 * it; one instance a server connection is used again and again. The fields are plain, for whoever
 * changes a reply on its way.
 *
 * <p>Ranges lie in the buffer that was read: good until the call returns in which it was.
 */
public final class Reply {
  /** There is no value: not even one of 0 bytes. */
  public static final int NO_VALUE = -1;

  private static final int MOST_STATES = 3;

  public Status status = Status.OK;

  /** The item's flags. */
  public int flags;

  /** The item's cas unique; 0 if the server did not say. */
  public long cas;

  /** Bytes of the value that follows, or {@link #NO_VALUE}. */
  public int valueLength;

  /** Bytes of the item's value, which need not follow; -1 if the server did not say. */
  public long size;

  /** A counter's new value. */
  public long number;

  /** Seconds to live; -1 without end. */
  public long ttl;

  public boolean hitBefore;

  /** Seconds since the item was read. */
  public long lastAccess;

  /** Whether this is not all of the reply: another line or packet follows, behind the value. */
  public boolean goesOn;

  /** Text: an error's, a version, or the value of a statistic; [textFrom, textTo) of text. */
  public ByteBuf text;

  public int textFrom;
  public int textTo;

  /** The name of a statistic, [nameFrom, nameTo) of {@link #text}. */
  public int nameFrom;

  public int nameTo;

  /** The meta states of the item (W, X, Z), in the order that they came. */
  final byte[] states = new byte[MOST_STATES];

  int stateCount;

  /** Forgets everything. */
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
    text = null;
    textFrom = 0;
    textTo = 0;
    nameFrom = 0;
    nameTo = 0;
    stateCount = 0;
    return this;
  }

  /** Becomes the same as another, without its text. */
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

  /** A value follows, of so many bytes. */
  public void value(int length) {
    valueLength = length;
    size = length;
  }

  /** Sets the error's text, a line without its line end, [from, to) of in. Borrows in. */
  public void error(ByteBuf in, int from, int to) {
    text(in, from, to);
  }

  void text(ByteBuf in, int from, int to) {
    text = in;
    textFrom = from;
    textTo = to;
  }

  void name(int from, int to) {
    nameFrom = from;
    nameTo = to;
  }

  /** Whether a meta server has told that the item is stale, or to be written anew by somebody. */
  public boolean hasStates() {
    return stateCount > 0;
  }

  /** The error's line as a server has said it; null if it has said none. */
  public String errorText() {
    return hasText() ? text.toString(textFrom, textTo - textFrom, ISO_8859_1) : null;
  }

  boolean hasText() {
    return textTo > textFrom;
  }

  void state(byte letter) {
    if (stateCount < MOST_STATES) {
      states[stateCount++] = letter;
    }
  }
}
