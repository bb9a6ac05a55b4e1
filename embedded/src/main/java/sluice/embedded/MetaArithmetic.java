package sluice.embedded;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;

/** Meta command for counters: ma. */
final class MetaArithmetic {
  private static final byte[] BAD_MODE = TextReply.line("CLIENT_ERROR invalid mode for ma M token");
  private static final byte[] BAD_FLAG = TextReply.line("CLIENT_ERROR invalid or duplicate flag");
  private static final byte[] NO_MEMORY_FOR_NEW =
      TextReply.line("SERVER_ERROR Out of memory allocating new item");

  private final TextRequest request;
  private final EmbeddedStore store;
  private final Arithmetic arithmetic;
  private final MetaFlags flags;

  MetaArithmetic(TextRequest request, MetaFlags flags, Arithmetic arithmetic) {
    this.request = request;
    store = request.store;
    this.arithmetic = arithmetic;
    this.flags = flags;
  }

  void execute() {
    ByteBuf out = request.out;
    if (!MetaReply.isReadable(request, 2, 2)) {
      out.writeBytes(TextReply.BAD_FORMAT);
      return;
    }
    if (flags.read(2) != null) {
      out.writeBytes(BAD_FLAG);
      return;
    }
    boolean increment = flags.mode == 0 || flags.mode == 'I' || flags.mode == '+';
    if (!increment && flags.mode != 'D' && flags.mode != '-') {
      out.writeBytes(BAD_MODE);
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
        if (flags.hasNewCas()) {
          segment.cas(arithmetic.item(), flags.newCas);
        }
        result(segment, false);
      }
      case NON_NUMERIC -> out.writeBytes(TextReply.NON_NUMERIC);
      case NO_MEMORY -> out.writeBytes(TextReply.NO_MEMORY_DELTA);
      case EXISTS -> withoutItem(MetaReply.EXISTS);
      case NOT_FOUND -> {
        if (!flags.vivify()) {
          withoutItem(MetaReply.NOT_FOUND);
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
    put.newCas = flags.hasNewCas() ? flags.newCas : store.nextCas();
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
    if (flags.value()) {
      out.writeBytes(MetaReply.HIT_WITH_VALUE);
      int digits = out.writerIndex();
      AsciiNumber.writeUnsigned(out, arithmetic.value());
      int length = out.writerIndex() - digits;
      out.writerIndex(digits);
      AsciiNumber.writeUnsigned(out, length);
    } else {
      out.writeBytes(MetaReply.HIT);
    }
    for (int token = flags.first(); token < request.tokens(); token++) {
      switch (flags.letter(token)) {
        case 'c' -> TextReply.flag(out, 'c', segment.cas(item));
        case 't' -> MetaReply.writeTtl(request, segment.expiry(item));
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
    if (flags.value()) {
      AsciiNumber.writeUnsigned(out, arithmetic.value());
      out.writeBytes(TextReply.CRLF);
    }
    if (flags.quiet()) {
      out.writerIndex(start);
    }
  }
}
