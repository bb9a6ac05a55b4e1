package sluice.embedded;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.memcached.text.Base64Key;

/** Meta commands that read: mg and me. */
final class MetaCommands {
  private static final byte[] DEBUG = TextReply.ascii("ME ");

  private final TextRequest request;
  private final EmbeddedStore store;
  private final MetaFlags flags;

  MetaCommands(TextRequest request, MetaFlags flags) {
    this.request = request;
    store = request.store;
    this.flags = flags;
  }

  void get() {
    ByteBuf out = request.out;
    if (!MetaReply.isReadable(request, 2, 2)) {
      out.writeBytes(TextReply.BAD_FORMAT);
      return;
    }
    byte[] error = flags.read(2);
    if (error != null) {
      out.writeBytes(error);
      return;
    }
    int start = out.writerIndex();
    Segment segment = store.lock(request.key);
    try {
      int item = segment.find(request.key, request.now);
      boolean created = item == Segment.NONE && flags.vivify();
      segment.count(flags.hasTtl() ? Counter.CMD_TOUCH : Counter.CMD_GET);
      if (created) {
        long cas = flags.hasNewCas() ? flags.newCas : store.nextCas();
        item = segment.createEmpty(request.key, 0, 0, cas, request.now);
      }
      if (item == Segment.NONE) {
        segment.count(flags.hasTtl() ? Counter.TOUCH_MISSES : Counter.GET_MISSES);
        miss();
      } else {
        segment.count(flags.hasTtl() ? Counter.TOUCH_HITS : Counter.GET_HITS);
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
    if (!flags.quiet()) {
      request.out.writeBytes(MetaReply.MISS);
      flags.writeEcho();
      request.out.writeBytes(TextReply.CRLF);
    }
  }

  private void hit(Segment segment, int item, boolean created) {
    ByteBuf out = request.out;
    boolean value =
        flags.value() && !(flags.hasCompareCas() && segment.cas(item) == flags.compareCas);
    if (value) {
      out.writeBytes(MetaReply.HIT_WITH_VALUE);
      AsciiNumber.writeUnsigned(out, segment.valueLength(item));
    } else {
      out.writeBytes(MetaReply.HIT);
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
    if (!flags.noUpdate()) {
      segment.fetched(item, request.now);
    }
  }

  /** Applies one flag, in the order sent; returns whether it makes this client the winner. */
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
      case 't' -> MetaReply.writeTtl(request, segment.expiry(item));
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

  void debug() {
    ByteBuf out = request.out;
    if (!MetaReply.isReadable(request, 2, 2) || !request.key(1)) {
      out.writeBytes(TextReply.BAD_FORMAT);
      return;
    }
    // As in memcached, a b that is the only flag is ignored.
    if (request.tokens() >= 4 && request.line.is(2, "b") && !flags.decodeKey()) {
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
      Base64Key.encode(key.buffer(), key.start(), key.end(), out);
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
