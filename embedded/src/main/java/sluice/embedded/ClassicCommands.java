package sluice.embedded;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.memcached.text.TextLine;

/** Classic text commands with a key. */
final class ClassicCommands {
  private static final String NOREPLY = "noreply";

  private final TextRequest request;
  private final EmbeddedStore store;
  private final Arithmetic arithmetic;

  ClassicCommands(TextRequest request, Arithmetic arithmetic) {
    this.request = request;
    store = request.store;
    this.arithmetic = arithmetic;
  }

  /** get, gets: one or more keys. */
  void get(boolean withCas) {
    if (request.tokens() < 2) {
      request.out.writeBytes(TextReply.BAD_FORMAT);
      return;
    }
    values(1, withCas, false, 0);
  }

  /** gat, gats: an exptime and one or more keys. */
  void getAndTouch(boolean withCas) {
    if (request.tokens() < 3) {
      request.out.writeBytes(TextReply.BAD_FORMAT);
      return;
    }
    long exptime = request.signed32(1);
    if (exptime == Numbers.INVALID) {
      request.out.writeBytes(TextReply.BAD_EXPTIME);
      return;
    }
    values(2, withCas, true, store.expiry(exptime, request.now));
  }

  private void values(int firstKey, boolean withCas, boolean touch, int expiry) {
    ByteBuf out = request.out;
    int start = out.writerIndex();
    for (int token = firstKey; token < request.line.count(); token++) {
      if (!request.key(token)) {
        // 1.6.45 sends one line end too many here, and drops the values before it.
        out.writerIndex(start);
        out.writeBytes(TextReply.BAD_FORMAT).writeBytes(TextReply.CRLF);
        return;
      }
      value(withCas, touch, expiry);
    }
    out.writeBytes(TextReply.END);
  }

  private void value(boolean withCas, boolean touch, int expiry) {
    Key key = request.key;
    boolean hit = false;
    Segment segment = store.lock(key);
    try {
      int item = segment.find(key, request.now);
      hit = item != Segment.NONE;
      segment.count(touch ? Counter.CMD_TOUCH : Counter.CMD_GET);
      if (touch) {
        segment.count(hit ? Counter.TOUCH_HITS : Counter.TOUCH_MISSES);
      }
      segment.count(hit ? Counter.GET_HITS : Counter.GET_MISSES);
      if (hit) {
        if (touch) {
          segment.expiry(item, expiry);
        }
        segment.fetched(item, request.now);
        write(segment, item, withCas);
      }
    } finally {
      segment.unlock();
    }
    if (request.settings.detailEnabled) {
      countPrefix(PrefixStats.Kind.GET);
      if (hit) {
        countPrefix(PrefixStats.Kind.HIT);
      }
    }
  }

  private void write(Segment segment, int item, boolean withCas) {
    ByteBuf out = request.out;
    out.writeBytes(TextReply.VALUE);
    out.writeBytes(request.buffer, request.key.start(), request.key.length());
    out.writeByte(' ');
    AsciiNumber.writeUnsigned(out, Integer.toUnsignedLong(segment.flags(item)));
    out.writeByte(' ');
    AsciiNumber.writeUnsigned(out, segment.valueLength(item));
    if (withCas) {
      out.writeByte(' ');
      AsciiNumber.writeUnsigned(out, segment.cas(item));
    }
    out.writeBytes(TextReply.CRLF);
    segment.readValue(item, out);
    out.writeBytes(TextReply.CRLF);
  }

  private void countPrefix(PrefixStats.Kind kind) {
    if (request.settings.detailEnabled) {
      request.settings.prefixes.count(request.key, kind);
    }
  }

  /** set, add, replace, append, prepend, cas. */
  void put(StoreMode mode) {
    TextLine line = request.line;
    ByteBuf buffer = request.buffer;
    long length = request.tokens() < 5 ? Numbers.INVALID : request.signed32(4);
    if (length < 0 || length > Integer.MAX_VALUE - 2) {
      request.out.writeBytes(TextReply.BAD_FORMAT);
      return;
    }
    readNoreply();
    long flags = Numbers.flags(buffer, line.start(2), line.end(2));
    long exptime = Numbers.exptime(buffer, line.start(3), line.end(3));
    boolean cas = mode == StoreMode.CAS;
    if (!request.key(1)
        || flags == Numbers.INVALID
        || exptime == Numbers.INVALID
        || (cas && !isUnsigned64(5))) {
      request.reply(TextReply.BAD_FORMAT);
      return;
    }
    countPrefix(PrefixStats.Kind.SET);
    StoreRequest put = request.put.reset(mode);
    put.flags = (int) flags;
    put.expiry = store.expiry(exptime, request.now);
    put.source = buffer;
    put.from = request.dataStart;
    put.length = (int) length;
    put.compareCas = cas ? AsciiNumber.unsigned(buffer, line.start(5), line.end(5)) : 0;
    if (isTooLarge(put)) {
      request.reply(TextReply.TOO_LARGE);
    } else if (!request.hasDataBlock(put.length)) {
      request.reply(TextReply.BAD_CHUNK);
    } else {
      put.newCas = store.nextCas();
      request.reply(reply(put(put)));
    }
  }

  private boolean isTooLarge(StoreRequest put) {
    if (ItemSize.of(request.key.length(), put.length, put.flags) <= store.itemSizeLimit()) {
      return false;
    }
    Segment segment = store.lock(request.key);
    try {
      segment.count(Counter.STORE_TOO_LARGE);
      int old = put.mode == StoreMode.SET ? segment.find(request.key, request.now) : Segment.NONE;
      if (old != Segment.NONE) {
        // the owner wanted the old value replaced: no value is better than the old one
        segment.remove(old);
      }
    } finally {
      segment.unlock();
    }
    return true;
  }

  private StoreOutcome put(StoreRequest put) {
    Segment segment = store.lock(request.key);
    try {
      return segment.put(request.key, put, request.now);
    } finally {
      segment.unlock();
    }
  }

  private static byte[] reply(StoreOutcome outcome) {
    return switch (outcome) {
      case STORED -> TextReply.STORED;
      case NOT_STORED -> TextReply.NOT_STORED;
      case EXISTS -> TextReply.EXISTS;
      case NOT_FOUND -> TextReply.NOT_FOUND;
      case NO_MEMORY -> TextReply.NO_MEMORY;
    };
  }

  private boolean isUnsigned64(int token) {
    return token < request.tokens()
        && Numbers.isUnsigned64(request.buffer, request.line.start(token), request.line.end(token));
  }

  /** delete; further arguments are refused as in 1.6.18. */
  void delete() {
    if (!hasTokens(2)) {
      return;
    }
    TextLine line = request.line;
    int count = line.count();
    boolean zero = count > 2 && line.is(2, "0");
    boolean valid =
        count == 2
            || (count == 3 && (zero || request.noreply))
            || (count == 4 && zero && request.noreply);
    if (!valid) {
      request.reply(TextReply.DELETE_USAGE);
      return;
    }
    if (!request.key(1)) {
      request.reply(TextReply.BAD_FORMAT);
      return;
    }
    countPrefix(PrefixStats.Kind.DELETE);
    Segment segment = store.lock(request.key);
    try {
      int item = segment.find(request.key, request.now);
      segment.count(item == Segment.NONE ? Counter.DELETE_MISSES : Counter.DELETE_HITS);
      if (item != Segment.NONE) {
        segment.remove(item);
      }
      request.reply(item == Segment.NONE ? TextReply.NOT_FOUND : TextReply.DELETED);
    } finally {
      segment.unlock();
    }
  }

  /** incr, decr. */
  void arithmetic(boolean increment) {
    if (!hasTokens(3)) {
      return;
    }
    if (!request.key(1)) {
      request.reply(TextReply.BAD_FORMAT);
      return;
    }
    if (!isUnsigned64(2)) {
      request.reply(TextReply.BAD_DELTA);
      return;
    }
    long delta = AsciiNumber.unsigned(request.buffer, request.line.start(2), request.line.end(2));
    Segment segment = store.lock(request.key);
    try {
      switch (arithmetic.apply(segment, request.key, increment, delta, 0, request.now)) {
        case DONE -> {
          if (!request.noreply) {
            AsciiNumber.writeUnsigned(request.out, arithmetic.value());
            request.out.writeBytes(TextReply.CRLF);
          }
        }
        case NON_NUMERIC -> request.reply(TextReply.NON_NUMERIC);
        case NO_MEMORY -> request.reply(TextReply.NO_MEMORY_DELTA);
        default -> request.reply(TextReply.NOT_FOUND);
      }
    } finally {
      segment.unlock();
    }
  }

  /** touch. */
  void touch() {
    if (!hasTokens(3)) {
      return;
    }
    if (!request.key(1)) {
      request.reply(TextReply.BAD_FORMAT);
      return;
    }
    long exptime = request.signed32(2);
    if (exptime == Numbers.INVALID) {
      request.reply(TextReply.BAD_EXPTIME);
      return;
    }
    Segment segment = store.lock(request.key);
    try {
      int item = segment.find(request.key, request.now);
      segment.count(Counter.CMD_TOUCH);
      segment.count(item == Segment.NONE ? Counter.TOUCH_MISSES : Counter.TOUCH_HITS);
      if (item != Segment.NONE) {
        segment.expiry(item, store.expiry(exptime, request.now));
        segment.fetched(item, request.now);
      }
      request.reply(item == Segment.NONE ? TextReply.NOT_FOUND : TextReply.TOUCHED);
    } finally {
      segment.unlock();
    }
  }

  /** Whether the line has that many tokens. If not, replies to the line; if so, reads noreply. */
  private boolean hasTokens(int count) {
    if (request.tokens() < count) {
      request.out.writeBytes(TextReply.BAD_FORMAT);
      return false;
    }
    readNoreply();
    return true;
  }

  /** Reads a last token of noreply, which suppresses every reply line from then on. */
  void readNoreply() {
    int tokens = request.tokens();
    request.noreply = tokens > 0 && request.line.is(tokens - 1, NOREPLY);
  }
}
