package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.text.KeyedLine;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextLine;

/**
 * Canonical request: a client's request, independent of its dialect. A reader fills it, a writer
 * reads it; one instance for each event loop, used again and again. The fields are not
 * encapsulated: code on the request's path may change them, for example flags and length when it
 * compresses the value.
 *
 * <p>Ranges lie in buffers that the caller owns, and are valid until the next request is read.
 */
public final class Request {
  /** The value of the item; for a counter, its number. */
  public static final int VALUE = 1;

  /** The client flags of the item. */
  public static final int FLAGS = 1 << 1;

  /** The item's cas unique. */
  public static final int CAS = 1 << 2;

  /** The length of the item's value. */
  public static final int SIZE = 1 << 3;

  /** The item's remaining seconds to live. */
  public static final int TTL = 1 << 4;

  /** Whether the item was read before. */
  public static final int HIT_BEFORE = 1 << 5;

  /** Seconds since the item was read. */
  public static final int LAST_ACCESS = 1 << 6;

  static final int MOST_META_FLAGS = StorageLine.MAX_META_TOKENS;

  public Operation operation = Operation.GET;

  /** The server key, [keyFrom, keyTo) of key: any bytes, never base64. STATS: its argument. */
  public ByteBuf key = Unpooled.EMPTY_BUFFER;

  public int keyFrom;
  public int keyTo;

  /** Bits of the fields that the reply must bring. */
  public int wants;

  /**
   * Bits of the fields that the reply has room for, besides {@link #wants}; they may be 0 where a
   * server does not report them.
   */
  public int likes;

  /** The client's flags, 32 bits. */
  public int flags;

  /** Time to live in {@link Exptime}'s domain; FLUSH: the delay. */
  public long exptime;

  /** Whether {@link #exptime} was given. */
  public boolean setsExptime;

  /**
   * Tokens of a meta line, 0 if absent: times to live that are reported and set in that order.
   * Where an item is created, the later of the two that are set counts.
   */
  int ttlToken;

  int exptimeToken;
  int initialToken;

  public long cas;

  /** Whether the item must have {@link #cas}. */
  public boolean comparesCas;

  /** The change of a counter; VERBOSITY: the level. */
  public long delta;

  /** The initial value of a counter that does not exist. */
  public long initial;

  /** Whether a counter that does not exist is created, to live for {@link #initialExptime}. */
  public boolean creates;

  /** In {@link Exptime}'s domain. */
  public long initialExptime;

  /**
   * Time to live, in {@link Exptime}'s domain, of an item that the request leaves without its
   * value. Meta's N where it creates the item of a read or an append; T of an md, which belongs to
   * I and x.
   */
  public long leftExptime;

  /** Whether {@link #leftExptime} was given. */
  public boolean setsLeftExptime;

  /** Whether an mg asks which of several clients is to write the item: N, R. */
  public boolean seeksWinner;

  /** Whether an mg asks for no value if the item's cas unique is the given one: C. */
  public boolean knowsValue;

  /** Whether an md leaves an empty item, which lives for ever unless a time is given. */
  public boolean leavesEmpty;

  int leftToken;

  /** Length of the value that follows in bytes, without any line end. */
  public int valueLength;

  /** The binary opcode and opaque that the client sent. */
  public int opcode;

  public int opaque;

  /** The key as the client wrote it and expects it back: in base64 if it came so. */
  public ByteBuf clientKey = Unpooled.EMPTY_BUFFER;

  public int clientKeyFrom;
  public int clientKeyTo;

  /** Whether the reply names the key. */
  public boolean returnsKey;

  /** Whether the client's key is written in base64. */
  public boolean isBase64;

  /** The meta line that the flags below refer to; null in other dialects. */
  @Nullable TextLine line;

  private @Nullable TextLine keptLine; // null before the first

  /** The letters that a meta reply repeats or fills in, in the requested order. */
  /** Reader of the classic line of this request. */
  final KeyedLine keyed = new KeyedLine();

  final byte[] order = new byte[MOST_META_FLAGS];

  int orderLength;

  /** The token with the meta client's opaque, or -1. */
  int opaqueToken;

  /** Tokens of meta flags that no other dialect can express. */
  final int[] rest = new int[MOST_META_FLAGS];

  int restLength;

  /** The first letter of {@link #rest} that must not be left out either, or 0. */
  byte restNeeded;

  /** Resets all fields. */
  public Request clear(Operation operation) {
    this.operation = operation;
    key = Unpooled.EMPTY_BUFFER;
    keyFrom = 0;
    keyTo = 0;
    wants = 0;
    likes = 0;
    flags = 0;
    exptime = 0;
    setsExptime = false;
    ttlToken = 0;
    exptimeToken = 0;
    initialToken = 0;
    cas = 0;
    comparesCas = false;
    delta = 1;
    initial = 0;
    creates = false;
    initialExptime = 0;
    leftExptime = 0;
    setsLeftExptime = false;
    seeksWinner = false;
    knowsValue = false;
    leavesEmpty = false;
    leftToken = 0;
    valueLength = 0;
    opcode = 0;
    opaque = 0;
    clientKey = Unpooled.EMPTY_BUFFER;
    clientKeyFrom = 0;
    clientKeyTo = 0;
    returnsKey = false;
    isBase64 = false;
    line = null;
    orderLength = 0;
    opaqueToken = -1;
    restLength = 0;
    restNeeded = 0;
    return this;
  }

  /** Copies another request, whose ranges lie in the same buffers. */
  public void set(Request other) {
    operation = other.operation;
    key = other.key;
    keyFrom = other.keyFrom;
    keyTo = other.keyTo;
    wants = other.wants;
    likes = other.likes;
    flags = other.flags;
    exptime = other.exptime;
    setsExptime = other.setsExptime;
    ttlToken = other.ttlToken;
    exptimeToken = other.exptimeToken;
    initialToken = other.initialToken;
    cas = other.cas;
    comparesCas = other.comparesCas;
    delta = other.delta;
    initial = other.initial;
    creates = other.creates;
    initialExptime = other.initialExptime;
    leftExptime = other.leftExptime;
    setsLeftExptime = other.setsLeftExptime;
    seeksWinner = other.seeksWinner;
    knowsValue = other.knowsValue;
    leavesEmpty = other.leavesEmpty;
    leftToken = other.leftToken;
    valueLength = other.valueLength;
    opcode = other.opcode;
    opaque = other.opaque;
    clientKey = other.clientKey;
    clientKeyFrom = other.clientKeyFrom;
    clientKeyTo = other.clientKeyTo;
    returnsKey = other.returnsKey;
    isBase64 = other.isBase64;
    line = other.line;
    System.arraycopy(other.order, 0, order, 0, other.orderLength);
    orderLength = other.orderLength;
    opaqueToken = other.opaqueToken;
    System.arraycopy(other.rest, 0, rest, 0, other.restLength);
    restLength = other.restLength;
    restNeeded = other.restNeeded;
  }

  /** A copy with buffers of its own on the heap, which stays valid. */
  public Request copy() {
    Request copy = new Request();
    copy.set(this);
    copy.key(Unpooled.wrappedBuffer(bytes(key, keyFrom, keyTo)), 0, keyLength());
    if (line != null) {
      int from = line.start(0);
      ByteBuf words =
          Unpooled.wrappedBuffer(bytes(line.buffer(), from, line.end(line.count() - 1)));
      copy.line = new TextLine().wrap(words, 0, words.writerIndex());
      copy.clientKey(words, clientKeyFrom - from, clientKeyTo - from);
    } else {
      byte[] name = bytes(clientKey, clientKeyFrom, clientKeyTo);
      copy.clientKey(Unpooled.wrappedBuffer(name), 0, name.length);
    }
    return copy;
  }

  /**
   * Copies another request for later use, as {@link #set}. Appends the bytes of other's ranges to
   * store, where this request's ranges lie from now on. Borrows store.
   */
  public void keep(Request other, ByteBuf store) {
    set(other);
    int at = store.writerIndex();
    store.writeBytes(other.key, other.keyFrom, other.keyLength());
    key(store, at, store.writerIndex());
    if (other.line != null) {
      int from = other.line.start(0);
      int to = other.line.end(other.line.count() - 1);
      int moved = store.writerIndex() - from;
      store.writeBytes(other.line.buffer(), from, to - from);
      keptLine = keptLine == null ? new TextLine() : keptLine;
      line = keptLine.wrap(store, from + moved, to + moved);
      clientKey(store, other.clientKeyFrom + moved, other.clientKeyTo + moved);
    } else {
      int from = store.writerIndex();
      store.writeBytes(
          other.clientKey, other.clientKeyFrom, other.clientKeyTo - other.clientKeyFrom);
      clientKey(store, from, store.writerIndex());
    }
  }

  /**
   * Bytes of {@code old} lie in another buffer now, {@code by} behind where they were: the ranges
   * of keys follow them. The line of a meta request is moved by who wrapped it. Borrows moved.
   */
  public void moved(ByteBuf old, ByteBuf moved, int by) {
    if (key == old) {
      key(moved, keyFrom + by, keyTo + by);
    }
    if (clientKey == old) {
      clientKey(moved, clientKeyFrom + by, clientKeyTo + by);
    }
  }

  private static byte[] bytes(ByteBuf in, int from, int to) {
    byte[] bytes = new byte[to - from];
    in.getBytes(from, bytes);
    return bytes;
  }

  /** Sets the server key, [from, to) of buffer. Borrows buffer. */
  public void key(ByteBuf buffer, int from, int to) {
    key = buffer;
    keyFrom = from;
    keyTo = to;
  }

  /** Sets the client's key, [from, to) of buffer. Borrows buffer. */
  public void clientKey(ByteBuf buffer, int from, int to) {
    clientKey = buffer;
    clientKeyFrom = from;
    clientKeyTo = to;
  }

  /** Leaves out a token of the meta line that only meta can express. */
  public void leaveOut(int token) {
    int kept = 0;
    for (int i = 0; i < restLength; i++) {
      if (rest[i] != token) {
        rest[kept++] = rest[i];
      }
    }
    restLength = kept;
  }

  public int keyLength() {
    return keyTo - keyFrom;
  }

  /** Whether the reply may bring this field: it must, or has room for it. */
  public boolean takes(int field) {
    return ((wants | likes) & field) != 0;
  }

  /** Whether the reply must bring any of these fields. */
  public boolean wants(int fields) {
    return (wants & fields) != 0;
  }

  /** Whether the client speaks meta, so that a touch may request everything that a read may. */
  public boolean isMeta() {
    return line != null;
  }

  /** Whether it is a get without flags that only meta has: it only reads, and may be sent twice. */
  public boolean isRead() {
    return operation == Operation.GET && restLength == 0;
  }

  /**
   * Whether the item stays unchanged: the request reads, sets no time to live and asks for no
   * winner. A meta server may still name a winner for a stale item.
   */
  public boolean changesNothing() {
    return operation == Operation.GET && !setsExptime && !seeksWinner;
  }

  /**
   * Whether it requests only what is stored: value, flags, cas unique and size. Times of the item,
   * and side effects in the server, are more than that.
   */
  public boolean asksForStored() {
    return operation == Operation.GET
        && !setsExptime
        && restNeeded == 0
        && !wants(~(VALUE | FLAGS | CAS | SIZE));
  }

  /** The most bytes that any dialect's writer needs for this request's head. */
  public int longestHead() {
    // A key may double in base64; numbers have at most 20 digits; the longest head has eight of
    // them.
    int metas = line == null ? 0 : line.end(line.count() - 1) - line.start(0);
    return 256 + 2 * keyLength() + metas;
  }
}
