package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.memcached.text.KeyedLine;
import sluice.codecs.memcached.text.MetaFlag;

/**
 * Canonical request: a client's request, independent of its dialect. A reader fills it, a writer
 * reads it; one instance for each event loop, used again and again. The fields are not
 * encapsulated, because code on the request's path may change them, for example flags and length
 * when it compresses the value. Keys, times to live, arithmetic and the tokens of a meta line are
 * parts that are made with the request and reset with it.
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

  public Operation operation = Operation.GET;

  /** The server key: any bytes, never base64. STATS: its argument. */
  public final ByteRange key = new ByteRange();

  /** The key as the client wrote it and expects it back: in base64 if it was sent so. */
  public final ByteRange clientKey = new ByteRange();

  /** Whether the client's key is written in base64. */
  public boolean isBase64;

  /** Whether the reply names the key. */
  public boolean returnsKey;

  /** Bits of the fields that the reply must contain. */
  public int wants;

  /**
   * Bits of the fields that the reply has room for, in addition to {@link #wants}; they may be 0 if
   * a server does not report them.
   */
  public int likes;

  /** The client's flags, 32 bits. */
  public int flags;

  /** Length of the value that follows in bytes, without any line end. */
  public int valueLength;

  public long cas;

  /** Whether the item must have {@link #cas}. */
  public boolean comparesCas;

  /** The item's time to live; FLUSH: the delay. */
  public final TimeToLive timeToLive = new TimeToLive();

  /**
   * Time to live of an item that the request leaves without its value. Meta's N where it creates
   * the item of a read or an append; T of an md, which belongs to I and x.
   */
  public final TimeToLive left = new TimeToLive();

  /** The change of a counter. */
  public final Arithmetic arithmetic = new Arithmetic();

  /** The binary opcode and opaque that the client sent. */
  public int opcode;

  public int opaque;

  /** The parts that only a meta line has. */
  final MetaTokens meta = new MetaTokens();

  /** Reader of the classic line of this request. */
  final KeyedLine keyed = new KeyedLine();

  /** Resets all fields. */
  public Request clear(Operation operation) {
    this.operation = operation;
    key.reset();
    clientKey.reset();
    isBase64 = false;
    returnsKey = false;
    wants = 0;
    likes = 0;
    flags = 0;
    valueLength = 0;
    cas = 0;
    comparesCas = false;
    timeToLive.reset();
    left.reset();
    arithmetic.reset();
    opcode = 0;
    opaque = 0;
    meta.reset();
    return this;
  }

  /** Copies another request, whose ranges lie in the same buffers. */
  public void set(Request other) {
    operation = other.operation;
    key.set(other.key);
    clientKey.set(other.clientKey);
    isBase64 = other.isBase64;
    returnsKey = other.returnsKey;
    wants = other.wants;
    likes = other.likes;
    flags = other.flags;
    valueLength = other.valueLength;
    cas = other.cas;
    comparesCas = other.comparesCas;
    timeToLive.set(other.timeToLive);
    left.set(other.left);
    arithmetic.set(other.arithmetic);
    opcode = other.opcode;
    opaque = other.opaque;
    meta.set(other.meta);
  }

  /** A copy with its own buffer on the heap, which stays valid. */
  public Request copy() {
    Request copy = new Request();
    copy.keep(this, Unpooled.buffer(key.length() + clientKey.length() + meta.length()));
    return copy;
  }

  /**
   * Copies another request for later use, as {@link #set}. Appends the bytes of other's ranges to
   * store, where this request's ranges lie from now on. Borrows store.
   */
  public void keep(Request other, ByteBuf store) {
    set(other);
    key.keep(other.key, store);
    if (other.meta.line != null) {
      int moved = meta.keepLine(other.meta.line, store);
      clientKey.set(store, other.clientKey.from + moved, other.clientKey.to + moved);
    } else {
      clientKey.keep(other.clientKey, store);
    }
  }

  /**
   * The bytes of {@code old} are now in another buffer, {@code by} bytes later: the ranges of keys
   * follow them. The caller that wrapped the line of a meta request moves it. Borrows moved.
   */
  public void moved(ByteBuf old, ByteBuf moved, int by) {
    key.moved(old, moved, by);
    clientKey.moved(old, moved, by);
  }

  /** Leaves out a token of the meta line, which is a flag for proxies. */
  public void leaveOut(int token) {
    meta.leaveOut(token);
  }

  /** Whether the reply may contain this field: it must, or it has room for it. */
  public boolean takes(int field) {
    return ((wants | likes) & field) != 0;
  }

  /** Whether the reply must contain any of these fields. */
  public boolean wants(int fields) {
    return (wants & fields) != 0;
  }

  /** Whether the client speaks meta, so that a touch may request everything that a read may. */
  public boolean isMeta() {
    return meta.line != null;
  }

  /**
   * Whether it is a get without flags that only meta has: it only reads. It may be sent twice,
   * unless it sets a time to live that {@linkplain Exptime#hasPassed has passed}.
   */
  public boolean isRead() {
    return operation == Operation.GET && meta.restLength == 0;
  }

  /** Whether an mg asks which of several clients is to write the item: N, R. */
  public boolean seeksWinner() {
    return (operation == Operation.GET || operation == Operation.TOUCH)
        && (meta.needs(MetaFlag.VIVIFY) || meta.needs(MetaFlag.RECACHE));
  }

  /** Whether an mg wants no value if the item's cas unique is the given one: C. */
  public boolean knowsValue() {
    return meta.needs(MetaFlag.COMPARE_CAS);
  }

  /** Whether an md leaves an empty item, which never expires unless a time is given: x. */
  public boolean leavesEmpty() {
    return meta.needs(MetaFlag.REMOVE_VALUE);
  }

  /**
   * Whether an ms may replace a newer item and mark it stale: I. The item then keeps the time to
   * live that it had, and the server ignores that of the request.
   */
  public boolean mayKeepTimeToLive() {
    return operation.isStorage() && meta.needs(MetaFlag.INVALIDATE);
  }

  /**
   * Whether the item stays unchanged: the request reads, sets no time to live and asks for no
   * winner. A meta server may still name a winner for a stale item.
   */
  public boolean changesNothing() {
    return operation == Operation.GET && !timeToLive.isGiven && !seeksWinner();
  }

  /**
   * Whether it requests only what is stored: value, flags, cas unique and size. Times of the item,
   * and side effects in the server, are more than that.
   */
  public boolean asksForStored() {
    return operation == Operation.GET
        && !timeToLive.isGiven
        && !meta.hasNeeded()
        && !wants(~(VALUE | FLAGS | CAS | SIZE));
  }

  /** The most bytes that any dialect's writer needs for this request's head. */
  public int longestHead() {
    // A key may double in base64; numbers have at most 20 digits; the longest head has eight of
    // them.
    return 256 + 2 * key.length() + meta.length();
  }
}
