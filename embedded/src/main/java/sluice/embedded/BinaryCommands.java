package sluice.embedded;

import static sluice.codecs.memcached.binary.Opcode.*;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.buffer.FieldWriter;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;

/** Commands of the binary protocol. */
final class BinaryCommands {
  private static final long MAX_BODY = 1024L * 1024 * 1024;
  private static final int DO_NOT_CREATE = 0xFFFF_FFFF;
  private static final byte[] VERSION_TEXT = TextReply.ascii(EmbeddedStore.VERSION);
  private static final byte[] NOT_FOUND = TextReply.ascii("Not found");
  private static final byte[] EXISTS = TextReply.ascii("Data exists for key.");
  private static final byte[] TOO_LARGE = TextReply.ascii("Too large.");
  private static final byte[] INVALID = TextReply.ascii("Invalid arguments");
  private static final byte[] NOT_STORED = TextReply.ascii("Not stored.");
  private static final byte[] NON_NUMERIC =
      TextReply.ascii("Non-numeric server-side value for incr or decr");
  private static final byte[] UNKNOWN = TextReply.ascii("Unknown command");
  private static final byte[] NO_MEMORY = TextReply.ascii("Out of memory allocating item");
  private static final byte[] CLOSED = TextReply.ascii("embedded store is closed");

  private final EmbeddedStore store;
  private final Arithmetic arithmetic;
  private final Key key = new Key();
  private final FieldWriter head = new FieldWriter();
  private final StoreRequest put = new StoreRequest();
  private final BinaryStatistics statistics;
  private ByteBuf request = Unpooled.EMPTY_BUFFER;
  private ByteBuf out = Unpooled.EMPTY_BUFFER;
  private int start;
  private int opcode;
  private int command;
  private int extrasLength;
  private int valueLength;
  private int opaque;
  private long cas;
  private long now;
  private boolean close;

  BinaryCommands(EmbeddedStore store, Arithmetic arithmetic, Statistics statistics) {
    this.store = store;
    this.arithmetic = arithmetic;
    this.statistics = new BinaryStatistics(store, statistics);
  }

  /** Executes one packet; returns whether the connection must be closed. Borrows both buffers. */
  boolean execute(ByteBuf request, int from, int to, ByteBuf out) {
    this.request = request;
    this.out = out;
    start = from;
    close = false;
    put.forget();
    if (to - from < BinaryHeader.LENGTH) {
      return true;
    }
    opcode = BinaryHeader.opcode(request, from);
    command = Opcode.loud(opcode);
    extrasLength = BinaryHeader.extrasLength(request, from);
    int keyLength = BinaryHeader.keyLength(request, from);
    opaque = BinaryHeader.opaque(request, from);
    cas = BinaryHeader.cas(request, from);
    now = store.now();
    long body = BinaryHeader.bodyLength(request, from);
    if (keyLength + extrasLength > body) {
      error(STATUS_UNKNOWN_COMMAND, UNKNOWN);
      return true;
    }
    if (body > MAX_BODY || to - from - BinaryHeader.LENGTH < body || keyLength > Key.MAX_LENGTH) {
      invalid();
      return true;
    }
    valueLength = (int) body - keyLength - extrasLength;
    key.wrap(request, BinaryHeader.keyStart(request, from), keyLength);
    int reply = out.writerIndex();
    try {
      execute();
    } catch (StoreClosedException e) {
      out.writerIndex(reply);
      error(STATUS_TEMPORARY_FAILURE, CLOSED);
    }
    return close;
  }

  /** Bytes of an old value that the last request has copied to a new one. */
  int copied() {
    return put.copied();
  }

  private void execute() {
    switch (command) {
      case GET, GETK -> getOrTouch(0);
      case GAT, GATK, TOUCH -> getOrTouch(4);
      case SET, ADD, REPLACE -> {
        if (key.length() > 0 && extrasLength == 8) {
          put();
        } else {
          invalid();
        }
      }
      case APPEND, PREPEND -> {
        if (key.length() > 0 && extrasLength == 0) {
          put();
        } else {
          invalid();
        }
      }
      case DELETE -> delete();
      case INCREMENT, DECREMENT -> arithmetic();
      case FLUSH -> flush();
      case STAT -> stat();
      case NOOP, VERSION, QUIT -> {
        if (extrasLength != 0 || key.length() != 0 || valueLength != 0) {
          invalid();
        } else {
          empty();
        }
      }
      default -> error(STATUS_UNKNOWN_COMMAND, UNKNOWN);
    }
  }

  /** Executes requests that consist of a header only. */
  private void empty() {
    close = command == QUIT;
    if (command == VERSION) {
      header(0, 0, STATUS_OK, VERSION_TEXT.length, 0);
      out.writeBytes(VERSION_TEXT);
    } else {
      success(0);
    }
  }

  private void getOrTouch(int extras) {
    if (key.length() == 0 || extrasLength != extras || (extras == 0 && valueLength != 0)) {
      invalid();
      return;
    }
    boolean hit;
    boolean touch = extras != 0;
    boolean withKey = command == GETK || command == GATK;
    Segment segment = store.lock(key);
    try {
      int item = segment.find(key, now);
      hit = item != Segment.NONE;
      if (touch) {
        segment.count(Counter.CMD_TOUCH);
        segment.count(hit ? Counter.TOUCH_HITS : Counter.TOUCH_MISSES);
      } else {
        segment.count(Counter.CMD_GET);
        segment.count(hit ? Counter.GET_HITS : Counter.GET_MISSES);
      }
      if (hit) {
        if (touch) {
          segment.expiry(item, store.expiry(extra32(0), now));
        }
        segment.fetched(item, now);
        int value = command == TOUCH ? 0 : segment.valueLength(item);
        header(withKey ? key.length() : 0, 4, STATUS_OK, value, segment.cas(item));
        out.writeInt(segment.flags(item));
        if (withKey) {
          out.writeBytes(request, key.start(), key.length());
        }
        if (command != TOUCH) {
          segment.readValue(item, out);
        }
      }
    } finally {
      segment.unlock();
    }
    countPrefix(PrefixStats.Kind.GET);
    if (hit) {
      countPrefix(PrefixStats.Kind.HIT);
    } else {
      miss(withKey);
    }
  }

  private void miss(boolean withKey) {
    if (isQuiet()) {
      return;
    }
    if (withKey) {
      header(key.length(), 0, STATUS_NOT_FOUND, 0, 0);
      out.writeBytes(request, key.start(), key.length());
    } else {
      error(STATUS_NOT_FOUND, NOT_FOUND);
    }
  }

  private void put() {
    countPrefix(PrefixStats.Kind.SET);
    put.reset(mode());
    if (extrasLength != 0) {
      put.flags = (int) extra32(0);
      put.expiry = store.expiry(extra32(4), now);
    }
    put.source = request;
    put.from = key.end();
    put.length = valueLength;
    put.compareCas = cas;
    boolean tooLarge = ItemSize.of(key.length(), valueLength, put.flags) > store.itemSizeLimit();
    put.newCas = tooLarge ? 0 : store.nextCas();
    StoreOutcome outcome = null;
    Segment segment = store.lock(key);
    try {
      if (!tooLarge) {
        outcome = segment.put(key, put, now);
      } else {
        segment.count(Counter.STORE_TOO_LARGE);
        int old = command == SET ? segment.find(key, now) : Segment.NONE;
        if (old != Segment.NONE) {
          segment.remove(old);
        }
      }
    } finally {
      segment.unlock();
    }
    if (outcome == null) {
      error(STATUS_TOO_LARGE, TOO_LARGE);
      return;
    }
    switch (outcome) {
      case STORED -> success(put.storedCas);
      case EXISTS -> error(STATUS_EXISTS, EXISTS);
      case NOT_FOUND -> error(STATUS_NOT_FOUND, NOT_FOUND);
      case NO_MEMORY -> error(STATUS_OUT_OF_MEMORY, NO_MEMORY);
      case NOT_STORED -> {
        switch (command) {
          case ADD -> error(STATUS_EXISTS, EXISTS);
          case REPLACE -> error(STATUS_NOT_FOUND, NOT_FOUND);
          default -> error(STATUS_NOT_STORED, NOT_STORED);
        }
      }
    }
  }

  private StoreMode mode() {
    return switch (command) {
      case APPEND -> StoreMode.APPEND;
      case PREPEND -> StoreMode.PREPEND;
      case ADD -> cas != 0 ? StoreMode.CAS : StoreMode.ADD;
      case REPLACE -> cas != 0 ? StoreMode.CAS : StoreMode.REPLACE;
      default -> cas != 0 ? StoreMode.CAS : StoreMode.SET;
    };
  }

  private void delete() {
    if (key.length() == 0 || extrasLength != 0 || valueLength != 0) {
      invalid();
      return;
    }
    countPrefix(PrefixStats.Kind.DELETE);
    Segment segment = store.lock(key);
    try {
      int item = segment.find(key, now);
      if (item == Segment.NONE) {
        segment.count(Counter.DELETE_MISSES);
        error(STATUS_NOT_FOUND, NOT_FOUND);
      } else if (cas != 0 && cas != segment.cas(item)) {
        error(STATUS_EXISTS, EXISTS);
      } else {
        segment.count(Counter.DELETE_HITS);
        segment.remove(item);
        success(0);
      }
    } finally {
      segment.unlock();
    }
  }

  private void arithmetic() {
    if (key.length() == 0 || extrasLength != 20 || valueLength != 0) {
      invalid();
      return;
    }
    long delta = request.getLong(extras());
    Segment segment = store.lock(key);
    try {
      switch (arithmetic.apply(segment, key, command == INCREMENT, delta, cas, now)) {
        case DONE -> number(segment.cas(arithmetic.item()));
        case NON_NUMERIC -> error(STATUS_NON_NUMERIC, NON_NUMERIC);
        case EXISTS -> error(STATUS_EXISTS, EXISTS);
        case NO_MEMORY -> error(STATUS_OUT_OF_MEMORY, NO_MEMORY);
        case NOT_FOUND -> createNumber(segment);
      }
    } finally {
      segment.unlock();
    }
  }

  private void createNumber(Segment segment) {
    int exptime = (int) extra32(16);
    if (exptime == DO_NOT_CREATE) {
      error(STATUS_NOT_FOUND, NOT_FOUND);
      return;
    }
    put.reset(StoreMode.ADD);
    put.expiry = store.expiry(Integer.toUnsignedLong(exptime), now);
    put.newCas = store.nextCas();
    long initial = request.getLong(extras() + 8);
    if (arithmetic.create(segment, key, put, initial, now) == StoreOutcome.STORED) {
      number(put.storedCas);
    } else {
      error(STATUS_OUT_OF_MEMORY, NO_MEMORY);
    }
  }

  private void number(long newCas) {
    if (!isQuiet()) {
      header(0, 0, STATUS_OK, Long.BYTES, newCas);
      out.writeLong(arithmetic.value());
    }
  }

  private void flush() {
    if (key.length() != 0 || valueLength != 0 || (extrasLength != 0 && extrasLength != 4)) {
      invalid();
      return;
    }
    store.count(Counter.CMD_FLUSH);
    store.flush(extrasLength == 0 ? 0 : extra32(0), now);
    success(0);
  }

  private void stat() {
    if (extrasLength != 0) {
      invalid();
    } else if (!statistics.write(request, key.start(), key.length(), opaque, out)) {
      error(STATUS_NOT_FOUND, NOT_FOUND);
    }
  }

  private void countPrefix(PrefixStats.Kind kind) {
    if (store.settings().detailEnabled) {
      store.settings().prefixes.count(key, kind);
    }
  }

  private boolean isQuiet() {
    return command != opcode;
  }

  private int extras() {
    return start + BinaryHeader.LENGTH;
  }

  private long extra32(int offset) {
    return request.getUnsignedInt(extras() + offset);
  }

  private void success(long newCas) {
    if (!isQuiet()) {
      header(0, 0, STATUS_OK, 0, newCas);
    }
  }

  /**
   * Answers as memcached does, and closes the connection because the stream is no longer trusted.
   */
  private void invalid() {
    error(STATUS_INVALID_ARGUMENTS, INVALID);
    close = true;
  }

  private void error(int status, byte[] text) {
    header(0, 0, status, text.length, 0);
    out.writeBytes(text);
  }

  private void header(int keyBytes, int extraBytes, int status, int valueBytes, long newCas) {
    BinaryHeader.writeResponse(
            head.into(out, BinaryHeader.LENGTH),
            opcode,
            keyBytes,
            extraBytes,
            status,
            keyBytes + extraBytes + valueBytes,
            opaque,
            newCas)
        .done();
  }
}
