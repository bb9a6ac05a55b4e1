package sluice.gateway.embedded;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;

/** The meta commands: mg, ms, md, ma, me. */
final class MetaCommands {
  private static final byte[] BAD_SET_MODE =
      TextReply.line("CLIENT_ERROR invalid mode for ms M token");
  private static final byte[] BAD_ARITHMETIC_MODE =
      TextReply.line("CLIENT_ERROR invalid mode for ma M token");
  private static final byte[] BAD_ARITHMETIC_FLAG =
      TextReply.line("CLIENT_ERROR invalid or duplicate flag");
  private static final byte[] NO_MEMORY_FOR_NEW =
      TextReply.line("SERVER_ERROR Out of memory allocating new item");
  private static final byte[] HIT = TextReply.ascii("HD");
  private static final byte[] HIT_WITH_VALUE = TextReply.ascii("VA ");
  private static final byte[] MISS = TextReply.ascii("EN");
  private static final byte[] NOT_FOUND = TextReply.ascii("NF");
  private static final byte[] NOT_STORED = TextReply.ascii("NS");
  private static final byte[] EXISTS = TextReply.ascii("EX");
  private static final byte[] DEBUG = TextReply.ascii("ME ");

  private final TextRequest request;
  private final EmbeddedStore store;
  private final Arithmetic arithmetic;
  private final MetaFlags flags = new MetaFlags();

  MetaCommands(TextRequest request, Arithmetic arithmetic) {
    this.request = request;
    store = request.store;
    this.arithmetic = arithmetic;
  }

  private boolean isReadable(int firstFlag, int minimum) {
    return request.tokens() >= minimum
        && MetaFlags.areReadable(request.line, firstFlag, request.tokens());
  }

  // ---- mg

  void get() {
    ByteBuf out = request.out;
    if (!isReadable(2, 2)) {
      out.writeBytes(TextReply.BAD_FORMAT);
      return;
    }
    byte[] error = flags.read(request, 2);
    if (error != null) {
      out.writeBytes(error);
      return;
    }
    int start = out.writerIndex();
    Segment segment = store.lock(request.key);
    try {
      int item = segment.find(request.key, request.now);
      boolean created = item == Segment.NONE && flags.vivify;
      segment.count(flags.hasTtl ? Counter.CMD_TOUCH : Counter.CMD_GET);
      if (created) {
        long cas = flags.hasNewCas ? flags.newCas : store.nextCas();
        item = segment.createEmpty(request.key, 0, 0, cas, request.now);
      }
      if (item == Segment.NONE) {
        segment.count(flags.hasTtl ? Counter.TOUCH_MISSES : Counter.GET_MISSES);
        miss();
      } else {
        segment.count(flags.hasTtl ? Counter.TOUCH_HITS : Counter.GET_HITS);
        hit(segment, item, created);
      }
    } finally {
      segment.unlock();
    }
    error = flags.checkOpaque();
    if (error != null) {
      out.writerIndex(start).writeBytes(error);
    }
  }

  private void miss() {
    if (!flags.quiet) {
      request.out.writeBytes(MISS);
      flags.writeEcho();
      request.out.writeBytes(TextReply.CRLF);
    }
  }

  private void hit(Segment segment, int item, boolean created) {
    ByteBuf out = request.out;
    boolean value = flags.value && !(flags.hasCompareCas && segment.cas(item) == flags.compareCas);
    if (value) {
      out.writeBytes(HIT_WITH_VALUE);
      AsciiNumber.writeUnsigned(out, segment.valueLength(item));
    } else {
      out.writeBytes(HIT);
    }
    boolean won = false;
    for (int token = flags.first(); token < request.tokens(); token++) {
      won |= hitFlag(segment, item, created, token);
    }
    int state = segment.state(item);
    boolean sent = (state & Segment.WIN_SENT) != 0;
    if (sent) {
      out.writeByte(' ').writeByte('Z');
    }
    if ((state & Segment.STALE) != 0) {
      out.writeByte(' ').writeByte('X');
      won |= !sent;
    }
    if (won) {
      out.writeByte(' ').writeByte('W');
      segment.state(item, state | Segment.WIN_SENT);
    }
    out.writeBytes(TextReply.CRLF);
    if (value) {
      segment.readValue(item, out);
      out.writeBytes(TextReply.CRLF);
    }
    if (!flags.noUpdate) {
      segment.fetched(item, request.now);
    }
  }

  /** Does what one flag asks for, in the order sent; true when it makes this client the winner. */
  private boolean hitFlag(Segment segment, int item, boolean created, int token) {
    ByteBuf out = request.out;
    switch (flags.letter(token)) {
      case 'T' -> segment.expiry(item, flags.ttlExpiry);
      case 'N' -> {
        if (created) {
          segment.expiry(item, flags.vivifyExpiry);
        }
        return created;
      }
      case 'R' -> {
        long expiry = segment.expiry(item);
        return !created
            && (segment.state(item) & Segment.WIN_SENT) == 0
            && expiry != 0
            && expiry < flags.recacheExpiry;
      }
      case 's' -> TextReply.flag(out, 's', segment.valueLength(item));
      case 't' -> writeTtl(segment, item);
      case 'c' -> TextReply.flag(out, 'c', segment.cas(item));
      case 'f' -> TextReply.flag(out, 'f', Integer.toUnsignedLong(segment.flags(item)));
      case 'l' -> TextReply.flag(out, 'l', Math.max(0, request.now - segment.lastUse(item)));
      case 'h' -> TextReply.flag(out, 'h', segment.state(item) & Segment.FETCHED);
      case 'O' -> flags.writeOpaque(token);
      case 'k' -> flags.writeKey((segment.state(item) & Segment.ENCODED_KEY) != 0);
      default -> {
        return false;
      }
    }
    return false;
  }

  private void writeTtl(Segment segment, int item) {
    long expiry = segment.expiry(item);
    request.out.writeByte(' ').writeByte('t');
    if (expiry == 0) {
      request.out.writeByte('-').writeByte('1');
    } else {
      // A ttl of the past reads as memcached's unsigned 32 bits do.
      AsciiNumber.writeUnsigned(request.out, (expiry - request.now) & 0xFFFF_FFFFL);
    }
  }

  // ---- ms

  void set() {
    ByteBuf out = request.out;
    long length = isReadable(3, 3) ? request.signed32(2) : Numbers.INVALID;
    if (length < 0 || length > Integer.MAX_VALUE - 2) {
      out.writeBytes(TextReply.BAD_FORMAT);
      return;
    }
    byte[] error = flags.read(request, 3);
    StoreMode mode = error == null ? setMode() : null;
    if (error == null && mode == null) {
      error = BAD_SET_MODE;
    }
    if (error == null) {
      preparePut(mode, (int) length);
      error = isTooLarge() ? TextReply.TOO_LARGE : flags.checkOpaque();
    }
    if (error == null) {
      request.put.newCas = flags.hasNewCas && flags.newCas != 0 ? flags.newCas : store.nextCas();
      error = request.hasDataBlock((int) length) ? null : TextReply.BAD_CHUNK;
    }
    if (error != null) {
      out.writeBytes(error);
    } else {
      set(request.put);
    }
  }

  private void preparePut(StoreMode mode, int length) {
    StoreRequest put = request.put.reset(mode);
    boolean creates = mode == StoreMode.APPEND_OR_CREATE || mode == StoreMode.PREPEND_OR_CREATE;
    put.flags = flags.clientFlags;
    put.expiry = creates ? flags.vivifyExpiry : flags.ttlExpiry;
    put.source = request.buffer;
    put.from = request.dataStart;
    put.length = length;
    put.compareCas = flags.compareCas;
    put.allowStale = flags.invalidate && mode == StoreMode.CAS;
  }

  private void set(StoreRequest put) {
    ByteBuf out = request.out;
    Segment segment = store.lock(request.key);
    StoreOutcome outcome;
    try {
      outcome = segment.put(request.key, put, request.now);
    } finally {
      segment.unlock();
    }
    if (outcome == StoreOutcome.STORED && flags.quiet) {
      return;
    }
    switch (outcome) {
      case STORED -> out.writeBytes(HIT);
      case EXISTS -> out.writeBytes(EXISTS);
      case NOT_FOUND -> out.writeBytes(NOT_FOUND);
      case NOT_STORED -> out.writeBytes(NOT_STORED);
      case NO_MEMORY -> {
        out.writeBytes(TextReply.NO_MEMORY);
        return;
      }
    }
    for (int token = flags.first(); token < request.tokens(); token++) {
      switch (flags.letter(token)) {
        case 'O' -> flags.writeOpaque(token);
        case 'k' -> flags.writeKey(request.key.isEncoded());
        case 'c' -> TextReply.flag(out, 'c', put.storedCas);
        case 's' -> TextReply.flag(out, 's', put.storedLength);
        default -> {
          // not part of a reply
        }
      }
    }
    out.writeBytes(TextReply.CRLF);
  }

  /** The mode that M, N and C make together; null when M is none. */
  private StoreMode setMode() {
    StoreMode mode =
        switch (flags.mode) {
          case 0, 'S' -> StoreMode.SET;
          case 'E' -> StoreMode.ADD;
          case 'A' -> flags.vivify ? StoreMode.APPEND_OR_CREATE : StoreMode.APPEND;
          case 'P' -> flags.vivify ? StoreMode.PREPEND_OR_CREATE : StoreMode.PREPEND;
          case 'R' -> StoreMode.REPLACE;
          default -> null;
        };
    boolean compares = flags.hasCompareCas && (mode == StoreMode.SET || mode == StoreMode.REPLACE);
    return compares ? StoreMode.CAS : mode;
  }

  private boolean isTooLarge() {
    StoreRequest put = request.put;
    if (ItemSize.of(request.key.length(), put.length, put.flags) <= store.itemSizeLimit()) {
      return false;
    }
    Segment segment = store.lock(request.key);
    try {
      segment.count(Counter.STORE_TOO_LARGE);
      int old = segment.find(request.key, request.now);
      if (old != Segment.NONE) {
        segment.remove(old);
      }
    } finally {
      segment.unlock();
    }
    return true;
  }

  // ---- md

  void delete() {
    ByteBuf out = request.out;
    if (!isReadable(2, 2)) {
      out.writeBytes(TextReply.BAD_FORMAT);
      return;
    }
    byte[] error = flags.read(request, 2);
    error = error == null ? flags.checkOpaque() : error;
    if (error != null) {
      out.writeBytes(error);
      return;
    }
    byte[] code;
    Segment segment = store.lock(request.key);
    try {
      code = delete(segment);
    } finally {
      segment.unlock();
    }
    if (code == null) {
      out.writeBytes(TextReply.NO_MEMORY_DELTA);
    } else if (code != HIT || !flags.quiet) {
      out.writeBytes(code);
      flags.writeEcho();
      out.writeBytes(TextReply.CRLF);
    }
  }

  /** The return code; null when a tombstone does not fit. */
  private byte[] delete(Segment segment) {
    int item = segment.find(request.key, request.now);
    if (item == Segment.NONE) {
      segment.count(Counter.DELETE_MISSES);
      return NOT_FOUND;
    }
    if (flags.hasCompareCas && segment.cas(item) != flags.compareCas) {
      segment.count(Counter.DELETE_MISSES);
      return EXISTS;
    }
    if (flags.removeValue) {
      long cas = flags.hasNewCas ? flags.newCas : segment.cas(item);
      segment.remove(item);
      item = segment.createEmpty(request.key, flags.clientFlags, flags.ttlExpiry, cas, request.now);
      if (item == Segment.NONE) {
        return null;
      }
    }
    if (flags.invalidate) {
      if (flags.hasTtl) {
        segment.expiry(item, flags.ttlExpiry);
      }
      segment.state(item, (segment.state(item) | Segment.STALE) & ~Segment.WIN_SENT);
      segment.cas(item, flags.hasNewCas ? flags.newCas : store.nextCas());
      return HIT;
    }
    segment.count(Counter.DELETE_HITS);
    if (!flags.removeValue) {
      segment.remove(item);
    }
    return HIT;
  }

  // ---- ma

  void arithmetic() {
    ByteBuf out = request.out;
    if (!isReadable(2, 2)) {
      out.writeBytes(TextReply.BAD_FORMAT);
      return;
    }
    if (flags.read(request, 2) != null) {
      out.writeBytes(BAD_ARITHMETIC_FLAG);
      return;
    }
    boolean increment = flags.mode == 0 || flags.mode == 'I' || flags.mode == '+';
    if (!increment && flags.mode != 'D' && flags.mode != '-') {
      out.writeBytes(BAD_ARITHMETIC_MODE);
      return;
    }
    int start = out.writerIndex();
    Segment segment = store.lock(request.key);
    try {
      arithmetic(segment, increment);
    } finally {
      segment.unlock();
    }
    byte[] error = flags.checkOpaque();
    if (error != null) {
      out.writerIndex(start).writeBytes(error);
    }
  }

  private void arithmetic(Segment segment, boolean increment) {
    ByteBuf out = request.out;
    switch (arithmetic.apply(
        segment, request.key, increment, flags.delta, flags.compareCas, request.now)) {
      case DONE -> {
        if (flags.hasNewCas) {
          segment.cas(arithmetic.item(), flags.newCas);
        }
        result(segment, false);
      }
      case NON_NUMERIC -> out.writeBytes(TextReply.NON_NUMERIC);
      case NO_MEMORY -> out.writeBytes(TextReply.NO_MEMORY_DELTA);
      case EXISTS -> withoutItem(EXISTS);
      case NOT_FOUND -> {
        if (!flags.vivify) {
          withoutItem(NOT_FOUND);
        } else if (create(segment)) {
          result(segment, true);
        } else {
          out.writeBytes(NO_MEMORY_FOR_NEW);
        }
      }
    }
  }

  private boolean create(Segment segment) {
    StoreRequest put = request.put.reset(StoreMode.ADD);
    put.newCas = flags.hasNewCas ? flags.newCas : store.nextCas();
    return arithmetic.create(segment, request.key, put, flags.initial, request.now)
        == StoreOutcome.STORED;
  }

  private void withoutItem(byte[] code) {
    request.out.writeBytes(code);
    flags.writeEcho();
    request.out.writeBytes(TextReply.CRLF);
  }

  private void result(Segment segment, boolean created) {
    ByteBuf out = request.out;
    int start = out.writerIndex();
    int item = arithmetic.item();
    if (flags.value) {
      out.writeBytes(HIT_WITH_VALUE);
      int digits = out.writerIndex();
      AsciiNumber.writeUnsigned(out, arithmetic.value());
      int length = out.writerIndex() - digits;
      out.writerIndex(digits);
      AsciiNumber.writeUnsigned(out, length);
    } else {
      out.writeBytes(HIT);
    }
    for (int token = flags.first(); token < request.tokens(); token++) {
      switch (flags.letter(token)) {
        case 'c' -> TextReply.flag(out, 'c', segment.cas(item));
        case 't' -> writeTtl(segment, item);
        case 'T' -> segment.expiry(item, flags.ttlExpiry);
        case 'N' -> {
          if (created) {
            segment.expiry(item, flags.vivifyExpiry);
          }
        }
        case 'O' -> flags.writeOpaque(token);
        case 'k' -> flags.writeKey(request.key.isEncoded());
        default -> {
          // not part of a reply
        }
      }
    }
    out.writeBytes(TextReply.CRLF);
    if (flags.value) {
      AsciiNumber.writeUnsigned(out, arithmetic.value());
      out.writeBytes(TextReply.CRLF);
    }
    if (flags.quiet) {
      out.writerIndex(start);
    }
  }

  // ---- me

  void debug() {
    ByteBuf out = request.out;
    if (!isReadable(2, 2) || !request.key(1)) {
      out.writeBytes(TextReply.BAD_FORMAT);
      return;
    }
    // As there: a b that is the only flag is not looked at.
    if (request.tokens() >= 4 && request.line.is(2, "b") && !flags.decodeKey(request)) {
      out.writeBytes(TextReply.BAD_FORMAT);
      return;
    }
    Segment segment = store.lock(request.key);
    try {
      segment.count(Counter.CMD_META);
      int item = segment.find(request.key, request.now);
      if (item == Segment.NONE) {
        out.writeBytes(TextReply.META_MISS);
      } else {
        debug(segment, item);
      }
    } finally {
      segment.unlock();
    }
  }

  private void debug(Segment segment, int item) {
    ByteBuf out = request.out;
    Key key = request.key;
    out.writeBytes(DEBUG);
    if ((segment.state(item) & Segment.ENCODED_KEY) != 0) {
      Base64Key.encode(key.buffer(), key.start(), key.length(), out);
    } else {
      out.writeBytes(key.buffer(), key.start(), key.length());
    }
    long expiry = segment.expiry(item);
    long size = segment.size(item);
    out.writeBytes(
        TextReply.line(
            " exp="
                + (expiry == 0 ? -1 : expiry - request.now)
                + " la="
                + Math.max(0, request.now - segment.lastUse(item))
                + " cas="
                + Long.toUnsignedString(segment.cas(item))
                + " fetch="
                + ((segment.state(item) & Segment.FETCHED) != 0 ? "yes" : "no")
                + " cls="
                + ItemSize.slabClass(size)
                + " size="
                + size));
  }
}
