package sluice.embedded;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Meta commands that store and delete: ms and md. */
final class MetaUpdates {
  private static final byte[] BAD_MODE = TextReply.line("CLIENT_ERROR invalid mode for ms M token");

  private final TextRequest request;
  private final EmbeddedStore store;
  private final MetaFlags flags;

  MetaUpdates(TextRequest request, MetaFlags flags) {
    this.request = request;
    store = request.store;
    this.flags = flags;
  }

  void set() {
    ByteBuf out = request.out;
    long length = MetaReply.isReadable(request, 3, 3) ? request.signed32(2) : Numbers.INVALID;
    if (length < 0 || length > Integer.MAX_VALUE - 2) {
      out.writeBytes(TextReply.BAD_FORMAT);
      return;
    }
    byte[] error = flags.read(3);
    if (error == null) {
      StoreMode mode = setMode();
      if (mode == null) {
        error = BAD_MODE;
      } else {
        preparePut(mode, (int) length);
        error = isTooLarge() ? TextReply.TOO_LARGE : flags.checkOpaque();
      }
    }
    if (error == null) {
      request.put.newCas = flags.hasNewCas() && flags.newCas != 0 ? flags.newCas : store.nextCas();
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
    put.allowStale = flags.invalidate() && mode == StoreMode.CAS;
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
    if (outcome == StoreOutcome.STORED && flags.quiet()) {
      return;
    }
    switch (outcome) {
      case STORED -> out.writeBytes(MetaReply.HIT);
      case EXISTS -> out.writeBytes(MetaReply.EXISTS);
      case NOT_FOUND -> out.writeBytes(MetaReply.NOT_FOUND);
      case NOT_STORED -> out.writeBytes(MetaReply.NOT_STORED);
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

  /** The mode that results from M, N and C; null if M is invalid. */
  private @Nullable StoreMode setMode() {
    @Nullable StoreMode mode =
        switch (flags.mode) {
          case 0, 'S' -> StoreMode.SET;
          case 'E' -> StoreMode.ADD;
          case 'A' -> flags.vivify() ? StoreMode.APPEND_OR_CREATE : StoreMode.APPEND;
          case 'P' -> flags.vivify() ? StoreMode.PREPEND_OR_CREATE : StoreMode.PREPEND;
          case 'R' -> StoreMode.REPLACE;
          default -> null;
        };
    boolean compares =
        flags.hasCompareCas() && (mode == StoreMode.SET || mode == StoreMode.REPLACE);
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

  void delete() {
    ByteBuf out = request.out;
    if (!MetaReply.isReadable(request, 2, 2)) {
      out.writeBytes(TextReply.BAD_FORMAT);
      return;
    }
    byte[] error = flags.read(2);
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
    } else if (code != MetaReply.HIT || !flags.quiet()) {
      out.writeBytes(code);
      flags.writeEcho();
      out.writeBytes(TextReply.CRLF);
    }
  }

  /** Deletes; returns the return code, or null if the item left behind does not fit. */
  private byte @Nullable [] delete(Segment segment) {
    int item = segment.find(request.key, request.now);
    if (item == Segment.NONE) {
      segment.count(Counter.DELETE_MISSES);
      return MetaReply.NOT_FOUND;
    }
    if (flags.hasCompareCas() && segment.cas(item) != flags.compareCas) {
      segment.count(Counter.DELETE_MISSES);
      return MetaReply.EXISTS;
    }
    if (flags.removeValue()) {
      long cas = flags.hasNewCas() ? flags.newCas : segment.cas(item);
      segment.remove(item);
      item = segment.createEmpty(request.key, flags.clientFlags, flags.ttlExpiry, cas, request.now);
      if (item == Segment.NONE) {
        return null;
      }
    }
    if (flags.invalidate()) {
      if (flags.hasTtl()) {
        segment.expiry(item, flags.ttlExpiry);
      }
      segment.state(item, (segment.state(item) | Segment.STALE) & ~Segment.WIN_SENT);
      segment.cas(item, flags.hasNewCas() ? flags.newCas : store.nextCas());
      return MetaReply.HIT;
    }
    segment.count(Counter.DELETE_HITS);
    if (!flags.removeValue()) {
      segment.remove(item);
    }
    return MetaReply.HIT;
  }
}
