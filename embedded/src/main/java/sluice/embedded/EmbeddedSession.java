package sluice.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.memcached.text.TextLine;

/**
 * Executor of requests on an {@link EmbeddedStore}, one after the other. There may be a session for
 * each client connection or for each event loop, because it keeps only scratch memory between
 * requests. Not thread-safe.
 *
 * <p>Each call gets one complete request. A text request is a command line with its line end, LF or
 * CRLF. If the line announces a data block, that block follows, and two bytes that should be CRLF.
 * By 1.6.45's rule, the lines below announce a block, even if they are otherwise invalid; in that
 * case, the block is discarded:
 *
 * <ul>
 *   <li>{@code set add replace append prepend cas} as the line's first bytes, with at least five
 *       tokens. The fifth is the length.
 *   <li>{@code ms} as the line's first bytes, with at least three tokens. The third is the length.
 *       Each of tokens 4 to 23 starts with a byte of 0-9 or of A to z (65 to 122).
 * </ul>
 *
 * <p>The length is at most 11 characters, an optional minus and digits, from 0 to 2147483645. A
 * line of fewer than four bytes, including its line end, announces nothing.
 */
public final class EmbeddedSession {
  private final TextRequest request;
  private final ClassicCommands classic;
  private final MetaCommands meta;
  private final MetaUpdates metaUpdates;
  private final MetaArithmetic metaArithmetic;
  private final BinaryCommands binary;
  private final OperatorCommands operator;
  private int copied;

  /** A session for one thread at a time; any number of sessions may use one store. */
  public EmbeddedSession(EmbeddedStore store) {
    Statistics statistics = new Statistics(store);
    Arithmetic arithmetic = new Arithmetic(store);
    request = new TextRequest(store);
    classic = new ClassicCommands(request, arithmetic);
    MetaFlags flags = new MetaFlags(request);
    meta = new MetaCommands(request, flags);
    metaUpdates = new MetaUpdates(request, flags);
    metaArithmetic = new MetaArithmetic(request, flags, arithmetic);
    operator = new OperatorCommands(request, statistics);
    binary = new BinaryCommands(store, arithmetic, statistics);
  }

  /**
   * Executes the text or meta request [from, to) and appends its reply to out. There is no reply
   * for noreply and quiet successes. Borrows both buffers.
   *
   * @return whether the connection must be closed once out is written
   */
  public boolean text(ByteBuf buffer, int from, int to, ByteBuf out) {
    int lf = buffer.indexOf(from, to, (byte) '\n');
    int lineEnd = lf < 0 ? to : lf;
    if (lineEnd > from && buffer.getByte(lineEnd - 1) == '\r') {
      lineEnd--;
    }
    request.buffer = buffer;
    request.out = out;
    request.dataStart = lf < 0 ? to : lf + 1;
    request.end = to;
    request.noreply = false;
    request.close = false;
    request.put.forget();
    copied = 0;
    if (request.dataStart - from < 4) {
      out.writeBytes(TextReply.BAD_FORMAT); // too short for any command, according to 1.6.45
      return false;
    }
    request.line.wrap(buffer, from, lineEnd);
    request.now = request.store.now();
    int start = out.writerIndex();
    try {
      if (!executeKeyed(from) && !operator.execute(from)) {
        unknown();
      }
    } catch (StoreClosedException e) {
      out.writerIndex(start).writeBytes(TextReply.CLOSED);
    }
    copied = request.put.copied();
    request.buffer = Unpooled.EMPTY_BUFFER;
    request.out = Unpooled.EMPTY_BUFFER;
    return request.close;
  }

  /**
   * Executes the binary request [from, to), one packet, and appends its reply to out. If its
   * lengths contradict each other or exceed 1 GiB, the header suffices. Borrows both buffers.
   *
   * @return whether the connection must be closed once out is written
   */
  public boolean binary(ByteBuf buffer, int from, int to, ByteBuf out) {
    boolean close = binary.execute(buffer, from, to, out);
    copied = binary.copied();
    return close;
  }

  /**
   * Bytes of an old value that the last request has copied to a new one: an append of a few bytes
   * may take as long as a request that sends the whole value.
   */
  public int copied() {
    return copied;
  }

  /** Executes a command with a key; returns false for other commands. */
  private boolean executeKeyed(int from) {
    TextLine line = request.line;
    if (line.count() == 0 || line.start(0) != from) {
      return false; // 1.6.45 recognises these only at the very start of a line
    }
    return switch (line.length(0)) {
      case 2 -> executeMeta();
      case 3 -> executeOfThree();
      default -> executeLonger();
    };
  }

  private boolean executeMeta() {
    ByteBuf buffer = request.buffer;
    int start = request.line.start(0);
    if (buffer.getByte(start) != 'm') {
      return false;
    }
    switch (buffer.getByte(start + 1)) {
      case 'g' -> meta.get();
      case 's' -> metaUpdates.set();
      case 'd' -> metaUpdates.delete();
      case 'a' -> metaArithmetic.execute();
      case 'e' -> meta.debug();
      case 'n' -> request.out.writeBytes(TextReply.META_NOOP);
      default -> {
        return false;
      }
    }
    return true;
  }

  private boolean executeOfThree() {
    TextLine line = request.line;
    if (line.is(0, "get")) {
      classic.get(false);
    } else if (line.is(0, "set")) {
      classic.put(StoreMode.SET);
    } else if (line.is(0, "add")) {
      classic.put(StoreMode.ADD);
    } else if (line.is(0, "cas")) {
      classic.put(StoreMode.CAS);
    } else if (line.is(0, "gat")) {
      classic.getAndTouch(false);
    } else {
      return false;
    }
    return true;
  }

  private boolean executeLonger() {
    TextLine line = request.line;
    if (line.is(0, "gets")) {
      classic.get(true);
    } else if (line.is(0, "gats")) {
      classic.getAndTouch(true);
    } else if (line.is(0, "incr")) {
      classic.arithmetic(true);
    } else if (line.is(0, "decr")) {
      classic.arithmetic(false);
    } else if (line.is(0, "touch")) {
      classic.touch();
    } else if (line.is(0, "delete")) {
      classic.delete();
    } else if (line.is(0, "append")) {
      classic.put(StoreMode.APPEND);
    } else if (line.is(0, "prepend")) {
      classic.put(StoreMode.PREPEND);
    } else if (line.is(0, "replace")) {
      classic.put(StoreMode.REPLACE);
    } else {
      return false;
    }
    return true;
  }

  private void unknown() {
    classic.readNoreply();
    TextLine line = request.line;
    int last = request.tokens() - 1;
    if (last > 0 && line.string(last).startsWith("HTTP/")) {
      request.close = true; // a browser was made to send this; no part of it may be executed
      return;
    }
    request.reply(TextReply.ERROR);
  }
}
