package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.memcached.text.KeyedLine;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextLine;

/**
 * What a client asks, without the words of its dialect. A reader fills it, a writer looks at it;
 * one instance an event loop is used again and again. The fields are plain: whoever has the request
 * may change it on its way, as one that compresses its value changes flags and length.
 *
 * <p>Ranges lie in buffers that the caller owns: good until the next request is read.
 */
public final class Request {
  /** The value of the item; of a counter, its number. */
  public static final int VALUE = 1;

  /** The client's flags of the item. */
  public static final int FLAGS = 1 << 1;

  /** The item's cas unique. */
  public static final int CAS = 1 << 2;

  /** The length of the item's value. */
  public static final int SIZE = 1 << 3;

  /** Seconds that the item has left to live. */
  public static final int TTL = 1 << 4;

  /** Whether the item was read before. */
  public static final int HIT_BEFORE = 1 << 5;

  /** Seconds since the item was read. */
  public static final int LAST_ACCESS = 1 << 6;

  static final int MOST_META_FLAGS = StorageLine.MAX_META_TOKENS;

  public Operation operation = Operation.GET;

  /** The key [keyFrom, keyTo) as servers know it: any bytes, never base64. STATS: its argument. */
  public ByteBuf key;

  public int keyFrom;
  public int keyTo;

  /** What the reply must bring: bits. */
  public int wants;

  /** What the reply has room for, beside {@link #wants}, and may be 0 where a server cannot say. */
  public int likes;

  /** The client's flags, 32 bits. */
  public int flags;

  /** In {@link Exptime}'s domain; FLUSH: the delay. */
  public long exptime;

  /** Whether {@link #exptime} was given. */
  public boolean setsExptime;

  /**
   * Tokens of a meta line, 0 without: times to live that are told and set in that order. Where an
   * item is made, the later of the two that are set counts.
   */
  int ttlToken;

  int exptimeToken;
  int initialToken;

  public long cas;

  /** Whether the item must have {@link #cas}. */
  public boolean comparesCas;

  /** Of a counter; VERBOSITY: the level. */
  public long delta;

  /** What a counter begins with that is not there. */
  public long initial;

  /** Whether a counter that is not there is made, to live for {@link #initialExptime}. */
  public boolean creates;

  /** In {@link Exptime}'s domain. */
  public long initialExptime;

  /**
   * In {@link Exptime}'s domain: how long an item lives that this leaves behind without its value.
   * Meta's N where it makes the item of a read or an append; T of an md, which goes with I and x.
   */
  public long leftExptime;

  /** Whether {@link #leftExptime} was given. */
  public boolean setsLeftExptime;

  /** Whether an mg asks to be told who of several clients is to write the item: N, R. */
  public boolean seeksWinner;

  /** Whether an mg brings no value if the item's cas unique is the one that it says: C. */
  public boolean knowsValue;

  /** Whether an md leaves an item of no bytes, which lives for ever unless told otherwise. */
  public boolean leavesEmpty;

  int leftToken;

  /** Bytes of the value that follows, without any line end. */
  public int valueLength;

  /** The binary opcode and opaque that the client sent. */
  public int opcode;

  public int opaque;

  /** The key as the client wrote it, and wants to see it: in base64 if it came so. */
  public ByteBuf clientKey;

  public int clientKeyFrom;
  public int clientKeyTo;

  /** Whether the reply names the key. */
  public boolean returnsKey;

  /** Whether the client's key is written in base64. */
  public boolean isBase64;

  /** The meta line, whose flags are below; null in other dialects. */
  TextLine line;

  private TextLine keptLine; // null before the first

  /** The letters that a meta reply repeats or fills in, in the order asked. */
  /** What reads a classic line for this. */
  final KeyedLine keyed = new KeyedLine();

  final byte[] order = new byte[MOST_META_FLAGS];

  int orderLength;

  /** The token with the meta client's opaque, or -1. */
  int opaqueToken;

  /** Tokens of meta flags that no other dialect has a word for. */
  final int[] rest = new int[MOST_META_FLAGS];

  int restLength;

  /** The first letter of {@link #rest} that may not be left out either, or 0. */
  byte restNeeded;

  /** Forgets everything. */
  public Request clear(Operation operation) {
    this.operation = operation;
    key = null;
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
    clientKey = null;
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

  /** Becomes the same as another, whose ranges lie in the same buffers. */
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

  /** The same with buffers of its own, which are on the heap: good for ever. */
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
    } else if (clientKey != null) {
      byte[] name = bytes(clientKey, clientKeyFrom, clientKeyTo);
      copy.clientKey(Unpooled.wrappedBuffer(name), 0, name.length);
    }
    return copy;
  }

  /**
   * As {@link #set}, for later: the bytes that other's ranges lie in are appended to store, which
   * this request's ranges lie in from now on. Borrows store.
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
    } else if (other.clientKey != null) {
      int from = store.writerIndex();
      store.writeBytes(
          other.clientKey, other.clientKeyFrom, other.clientKeyTo - other.clientKeyFrom);
      clientKey(store, from, store.writerIndex());
    }
  }

  private static byte[] bytes(ByteBuf in, int from, int to) {
    byte[] bytes = new byte[to - from];
    in.getBytes(from, bytes);
    return bytes;
  }

  /** Sets the key, [from, to) of buffer, as servers know it. Borrows buffer. */
  public void key(ByteBuf buffer, int from, int to) {
    key = buffer;
    keyFrom = from;
    keyTo = to;
  }

  /** Sets the key, [from, to) of buffer, as the client knows it. Borrows buffer. */
  public void clientKey(ByteBuf buffer, int from, int to) {
    clientKey = buffer;
    clientKeyFrom = from;
    clientKeyTo = to;
  }

  /** Leaves a token of the meta line out that only meta has a word for. */
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

  /** Whether the reply may bring this: it must, or has room for it. */
  public boolean takes(int field) {
    return ((wants | likes) & field) != 0;
  }

  /** Whether the reply must bring any of these. */
  public boolean wants(int fields) {
    return (wants & fields) != 0;
  }

  /** Whether the client speaks meta, so that a touch may ask for whatever a read may. */
  public boolean isMeta() {
    return line != null;
  }

  /**
   * Whether it only reads, so that it may be asked twice: a value that is there changes nothing.
   */
  public boolean isRead() {
    return operation == Operation.GET && restLength == 0;
  }

  /**
   * Whether the item is the same behind it as before: it reads, sets no time to live and asks for
   * no winner. A meta server may still tell one, of an item that is stale.
   */
  public boolean changesNothing() {
    return operation == Operation.GET && !setsExptime && !seeksWinner;
  }

  /**
   * Whether it reads nothing but what is stored: value, flags, cas unique and size. Times that the
   * item has, and what a server does beside answering, are more than that.
   */
  public boolean asksForStored() {
    return operation == Operation.GET
        && !setsExptime
        && restNeeded == 0
        && !wants(~(VALUE | FLAGS | CAS | SIZE));
  }

  /** Bytes that every dialect's writer can write this request's head in. */
  public int longestHead() {
    // A key may double in base64; numbers have at most 20 digits; the longest head has eight.
    int metas = line == null ? 0 : line.end(line.count() - 1) - line.start(0);
    return 256 + 2 * keyLength() + metas;
  }
}
