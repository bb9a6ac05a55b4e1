package sluice.gateway.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static sluice.codecs.memcached.text.TextReply.is;
import static sluice.codecs.memcached.text.TextReply.isError;
import static sluice.codecs.memcached.text.TextReply.isValue;
import static sluice.codecs.memcached.text.TextReply.startsWith;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.memcached.text.TextReply;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;

/** A server's connection in the text protocol, classic and meta. */
public final class TextServerConnection extends ServerConnection {
  private static final byte LF = '\n';
  private static final byte[] GET = "get".getBytes(US_ASCII);
  private static final byte[] GETS = "gets".getBytes(US_ASCII);
  private static final byte[] VERSION = "version\r\n".getBytes(US_ASCII);
  private static final int MAX_LINE = 16 * 1024;

  /**
   * memcached says this of a get, and drops with the values of that one whatever it has not sent
   * yet, the replies to earlier requests (process_get_command_err, conn_release_items).
   */
  private static final String DROPS_OTHERS = "SERVER_ERROR out of memory writing get response";

  /** A line that asks for several keys: every version of memcached reads it from one buffer. */
  private static final int LONGEST_ASKED = 1024;

  private final TextProbe probe;
  private final SharedReply sharedReply = new SharedReply(this, queue, context);

  /** The part of a line that came with an earlier read; null if none. */
  private ByteBuf carry;

  private int remaining; // of the data block, its line end included
  private boolean skipsData;
  private boolean streaming;
  private boolean insideReply; // between two lines of one reply
  private int valueKey;
  private int valueBytes; // of a part, with its line
  private boolean memcached;
  private Exchange lastAsked; // in the line that is open
  private Command asks;

  /** One with a socket. */
  TextServerConnection(Owner server) {
    this(server, null);
  }

  /** One with a pipe to another event loop's connection; with a socket, if guest is null. */
  TextServerConnection(Owner server, Pipe guest) {
    super(server, guest);
    probe =
        new TextProbe(
            new ProbedConnection() {
              @Override
              public void isMemcached(boolean says) {
                memcached = says;
              }
            },
            context);
  }

  // --- probe --------------------------------------------------------------------------------

  @Override
  protected void sendProbe() {
    probe.send();
  }

  @Override
  protected boolean probe(ByteBuf bytes) {
    return probe.read(bytes);
  }

  @Override
  protected void writePing(Exchange ping) {
    ping.start(null, Command.NOOP, Grammar.LINE, Exchange.HIDE_ALL, loop.now());
    write(loop.buffer(VERSION.length).writeBytes(VERSION)); // which every version knows
  }

  // --- requests -----------------------------------------------------------------------------

  /**
   * Whether several clients' requests for one value each may leave as one line. Only memcached is
   * known to answer in the order asked; and another event loop must see each request by itself.
   */
  public boolean joinsReads() {
    return guest() == null && memcached && !context.status().isAskedApart();
  }

  /**
   * Puts exchange behind all others and asks for one value by {@code get} or {@code gets}: in one
   * line with those that were asked for in this turn, if nothing else was asked since. The server
   * answers all of them in one piece, which a {@link SharedReply} takes apart.
   *
   * <p>Nothing of the requester's may wait to be written. Borrows in, whose bytes [from, to) are
   * the key as the server knows it.
   */
  public void ask(Exchange exchange, ByteBuf in, int from, int to) {
    ByteBuf open = openLine();
    boolean joins =
        open != null
            && asks == exchange.command()
            && open.writableBytes() >= to - from + 3 // a space, and the line's end
            && queue.last() == lastAsked;
    expect(exchange);
    byte[] verb = exchange.command() == Command.GET ? GET : GETS;
    exchange.sent().rememberRead(verb, in, from, to);
    if (joins) {
      lastAsked.sent().joins(exchange.sent());
    } else {
      asks = exchange.command();
      open = beginLine(LONGEST_ASKED).writeBytes(verb);
    }
    Bytes.append(in, from, to - from, open.writeByte(' '));
    lastAsked = exchange;
  }

  @Override
  protected void endLine(ByteBuf line) {
    line.writeShort('\r' << 8 | '\n');
    lastAsked = null;
  }

  // --- replies ------------------------------------------------------------------------------

  @Override
  protected boolean isInsideReply() {
    return insideReply || remaining > 0 || carry != null || streaming;
  }

  @Override
  protected boolean isInsideValue() {
    return remaining > 0 || carry != null;
  }

  @Override
  protected int consume(ByteBuf in, int position, int end, Exchange exchange) {
    if (remaining > 0) {
      return data(in, position, end, exchange);
    }
    if (streaming) {
      take(position, end);
      return end;
    }
    int lf = in.indexOf(position, end, LF);
    if (lf < 0) {
      carry(in, position, end);
      return end;
    }
    if (carry == null) {
      line(in, position, lf + 1, exchange, false);
    } else {
      carry(in, position, lf + 1);
      ByteBuf line = carry;
      carry = null;
      try {
        line(line, 0, line.writerIndex(), exchange, true);
      } finally {
        line.release();
      }
    }
    return lf + 1;
  }

  private void carry(ByteBuf in, int from, int to) {
    if (carry == null) {
      carry = loop.buffer(Math.max(256, to - from));
    }
    if (carry.writerIndex() + to - from > MAX_LINE) {
      throw new ProtocolException("found a line of more than " + MAX_LINE + " bytes");
    }
    carry.writeBytes(in, from, to - from);
  }

  private int data(ByteBuf in, int position, int end, Exchange exchange) {
    int next = position + Math.min(end - position, remaining);
    remaining -= next - position;
    if (!skipsData) {
      // Of a bridged reply only the value goes on: what ends it is the client's dialect's.
      boolean cut = exchange.grammar() == Grammar.BRIDGED && !exchange.isForeign();
      int ending = cut ? Math.max(0, 2 - remaining) : 0;
      if (next - ending > position) {
        take(position, next - ending);
      }
    }
    // The last two bytes must end the line; each is looked at in the read that brings it.
    if (remaining < 2 && next - position > 1 - remaining) {
      expectByte(in, next - 2 + remaining, '\r');
    }
    if (remaining == 0) {
      expectByte(in, next - 1, '\n');
      skipsData = false;
      dataComplete(exchange);
    }
    return next;
  }

  private static void expectByte(ByteBuf in, int index, char expected) {
    if (in.getByte(index) != expected) {
      throw new ProtocolException(
          "found " + Excerpt.of(in, index, index + 1) + " where the line end of a value belongs");
    }
  }

  private void dataComplete(Exchange exchange) {
    if (exchange.grammar() == Grammar.META) {
      finish(exchange);
    } else if (exchange.grammar() == Grammar.BRIDGED) {
      bridged().valueEnds(exchange);
      endUnit(exchange);
    } else if (exchange.gathering() != null) {
      exchange.gathering().value(exchange, valueKey, valueBytes);
    }
  }

  private void line(ByteBuf in, int from, int next, Exchange exchange, boolean carried) {
    int to = next - 1;
    to -= to > from && in.getByte(to - 1) == '\r' ? 1 : 0;
    if (queue.size() > 1 && startsWith(in, from, to, DROPS_OTHERS)) {
      throw context.unexpected(in, from, next, exchange);
    }
    switch (exchange.grammar()) {
      case VALUES -> values(in, from, to, next, exchange, carried);
      case META -> meta(in, from, to, next, exchange, carried);
      case STATS -> lines(in, from, to, next, exchange, carried, "STAT ", "PREFIX ", "ITEM ");
      case LISTING -> listing(in, from, to, next, exchange, carried);
      case DUMP -> lines(in, from, to, next, exchange, carried, "key=", "mg ", "OK");
      case STREAM -> {
        deliver(in, from, next, exchange, carried);
        if (is(in, from, to, "OK")) {
          streaming = true;
        } else {
          finish(exchange);
        }
      }
      case BRIDGED -> unit(in, from, to, next, exchange, carried);
      default -> whole(in, from, next, exchange, carried, isOneLine(in, from, to, exchange));
    }
  }

  /** Whether [from, to) can be all of a reply to exchange: a line that announces more cannot. */
  private static boolean isOneLine(ByteBuf in, int from, int to, Exchange exchange) {
    boolean regular =
        switch (exchange.grammar()) {
          case STORED ->
              is(in, from, to, "STORED")
                  || is(in, from, to, "NOT_STORED")
                  || is(in, from, to, "EXISTS")
                  || is(in, from, to, "NOT_FOUND");
          case DELETED -> is(in, from, to, "DELETED") || is(in, from, to, "NOT_FOUND");
          case TOUCHED -> is(in, from, to, "TOUCHED") || is(in, from, to, "NOT_FOUND");
          case NUMBER ->
              TextReply.size(in, from, Math.min(to, from + 1)) >= 0
                  || is(in, from, to, "NOT_FOUND");
          default -> {
            Command command = exchange.command();
            yield (command == Command.VERSION || command == Command.NOOP)
                ? startsWith(in, from, to, "VERSION ")
                : !startsWith(in, from, to, "VALUE ");
          }
        };
    return regular || isError(in, from, to);
  }

  private void whole(
      ByteBuf in, int from, int next, Exchange exchange, boolean carried, boolean expected) {
    if (!expected) {
      throw context.unexpected(in, from, next, exchange);
    }
    if (isError(in, from, next)) {
      exchange.outcome(Outcome.ERROR);
    } else if (in.getByte(from) == 'N') {
      exchange.outcome(Outcome.MISS); // NOT_FOUND, NOT_STORED
    }
    if (exchange.hides() != Exchange.HIDE_ALL) {
      deliver(in, from, next, exchange, carried);
    }
    finish(exchange);
  }

  private void deliver(ByteBuf in, int from, int next, Exchange exchange, boolean carried) {
    if (exchange.requester() == null) {
      return;
    }
    if (carried) {
      take(exchange, loop.slice(in, from, next - from));
    } else {
      take(from, next);
    }
  }

  private void lines(
      ByteBuf in, int from, int to, int next, Exchange exchange, boolean carried, String... more) {
    boolean goesOn = false;
    for (String start : more) {
      goesOn |= startsWith(in, from, to, start);
    }
    boolean alone = is(in, from, to, "OK") && exchange.grammar() != Grammar.DUMP;
    deliver(in, from, next, exchange, carried);
    if (goesOn && !alone) {
      insideReply = true;
    } else {
      insideReply = false;
      finish(exchange);
    }
  }

  private void listing(ByteBuf in, int from, int to, int next, Exchange exchange, boolean carried) {
    boolean alone =
        !insideReply
            && (is(in, from, to, "OK") || is(in, from, to, "RESET") || isError(in, from, to));
    deliver(in, from, next, exchange, carried);
    insideReply = !alone && !is(in, from, to, "END");
    if (!insideReply) {
      finish(exchange);
    }
  }

  // --- classic values -----------------------------------------------------------------------

  private void values(ByteBuf in, int from, int to, int next, Exchange first, boolean carried) {
    Exchange exchange = first;
    if (exchange.sent().isSharingReply()) {
      insideReply = sharedReply.pass(in, from, to, next, insideReply);
      exchange = queue.peek();
    }
    if (is(in, from, to, "END")) {
      if (!insideReply) {
        exchange.outcome(Outcome.MISS);
      }
      if (exchange.gathering() == null) {
        deliver(in, from, next, exchange, carried);
      }
      insideReply = false;
      finish(exchange);
    } else if (isValue(in, from, to)) {
      int keyStart = from + 6;
      int keyEnd = TextReply.tokenEnd(in, keyStart, to);
      int size = TextReply.valueSize(in, keyEnd, to);
      valueKey = SharedReply.keyOf(exchange, in, keyStart, keyEnd);
      if (size < 0 || valueKey < 0) {
        throw context.unexpected(in, from, next, exchange);
      }
      valueBytes = next - from + size + 2;
      KeyRewrite rewrite = exchange.rewrite();
      if (rewrite == null) {
        deliver(in, from, next, exchange, carried);
      } else if (exchange.requester() != null) {
        ByteBuf line = loop.buffer(next - from + rewrite.mostAdded());
        line.writeBytes(in, from, 6);
        rewrite.toClient(in, keyStart, keyEnd, line);
        line.writeBytes(in, keyEnd, next - keyEnd);
        valueBytes = line.readableBytes() + size + 2;
        take(exchange, line);
      }
      reports.valueRead(exchange, size);
      insideReply = true;
      remaining = size + 2;
      skipsData = exchange.requester() == null;
    } else if (isError(in, from, to)) {
      errorInPlaceOfValue(in, from, to, next, exchange, carried);
    } else {
      throw context.unexpected(in, from, next, exchange);
    }
  }

  /**
   * It ends the reply to a get of one key. Of several it is one of their errors perhaps:
   * memcached's own proxy, whose version is memcached's, says one for each key that it cannot have,
   * with the other values and {@code END} behind. Nobody may have what follows.
   */
  private void errorInPlaceOfValue(
      ByteBuf in, int from, int to, int next, Exchange exchange, boolean carried) {
    boolean shared = exchange.sent().isFollowingShared();
    boolean many = shared || exchange.sent().keys() > 1;
    ProtocolException noEnd = many ? endsNowhere(in, from, next) : null;
    if (many) {
      context.status().askApart();
    }
    if (shared) {
      throw noEnd;
    }
    insideReply = false;
    exchange.outcome(Outcome.ERROR);
    if (exchange.gathering() != null) {
      exchange.gathering().errorLine(exchange, in.toString(from, to - from, ISO_8859_1));
    } else {
      deliver(in, from, next, exchange, carried);
    }
    finish(exchange);
    if (many) {
      throw noEnd;
    }
  }

  private ProtocolException endsNowhere(ByteBuf in, int from, int next) {
    return new ProtocolException(
        "server "
            + context.name()
            + ": found "
            + Excerpt.of(in, from, next)
            + " in the reply to a get of several keys, whose end is unknown then;"
            + " each key is asked for by itself from now on");
  }

  // --- bridged ------------------------------------------------------------------------------

  private void unit(ByteBuf in, int from, int to, int next, Exchange exchange, boolean carried) {
    int length = bridged().unit(in, from, to, exchange);
    if (length == BridgedReply.NO_REPLY) {
      throw context.unexpected(in, from, next, exchange);
    }
    if (exchange.isForeign()) {
      deliver(in, from, next, exchange, carried);
    }
    if (length == BridgedReply.NO_VALUE) {
      endUnit(exchange);
    } else {
      reports.valueRead(exchange, length);
      insideReply = true;
      remaining = length + 2;
      skipsData = bridged().dropsValue();
    }
  }

  private void endUnit(Exchange exchange) {
    insideReply = !bridged().isWhole();
    if (!insideReply) {
      finish(exchange);
    }
  }

  // --- meta ---------------------------------------------------------------------------------

  private void meta(ByteBuf in, int from, int to, int next, Exchange exchange, boolean carried) {
    if (isError(in, from, to)) {
      whole(in, from, next, exchange, carried, true);
      return;
    }
    boolean value = startsWith(in, from, to, "VA ");
    boolean code = to - from == 2 || (to - from > 2 && in.getByte(from + 2) == ' ');
    if (!code || !isMetaCode(in.getShort(from))) {
      throw context.unexpected(in, from, next, exchange);
    }
    int flags = from + 2;
    int size = 0;
    if (value) {
      flags = TextReply.tokenEnd(in, from + 3, to);
      size = TextReply.size(in, from + 3, flags);
      if (size < 0) {
        throw context.unexpected(in, from, next, exchange);
      }
    }
    boolean hidden =
        switch (exchange.hides()) {
          case Exchange.HIDE_MISS -> startsWith(in, from, to, "EN");
          case Exchange.HIDE_SUCCESS -> value || startsWith(in, from, to, "HD");
          case Exchange.HIDE_ALL -> true;
          default -> false;
        };
    if (in.getByte(from) == 'N' || startsWith(in, from, to, "EN")) {
      exchange.outcome(Outcome.MISS);
    }
    if (exchange.isForeign() && !MetaReply.isAnswerTo(exchange, in, flags, to)) {
      throw context.unexpected(in, from, next, exchange);
    }
    boolean rewritten = !exchange.isForeign() && MetaReply.needsRewriting(exchange);
    boolean joined = rewritten && value && !carried && isSmallAndHere(in, next, size);
    ByteBuf line = null;
    if (rewritten) {
      line = MetaReply.rewrite(loop, in, from, flags, to, exchange, joined ? size + 2 : 0);
      if (line == null) {
        throw context.unexpected(in, from, next, exchange);
      }
    }
    if (hidden || exchange.requester() == null) {
      if (line != null) {
        line.release();
      }
    } else if (line != null) {
      if (joined) {
        Bytes.append(in, next, size + 2, line);
      }
      take(exchange, line);
    } else {
      deliver(in, from, next, exchange, carried);
    }
    if (value) {
      reports.valueRead(exchange, size);
      remaining = size + 2;
      skipsData = joined || hidden || exchange.requester() == null;
    } else {
      finish(exchange);
    }
  }

  /** Whether a value is better copied behind its line than sent as a slice of its own. */
  private static boolean isSmallAndHere(ByteBuf in, int from, int size) {
    return size <= COPY_BELOW - 2 && from + size + 2 <= in.writerIndex();
  }

  private static boolean isMetaCode(short code) {
    return switch (code) {
      case 'H' << 8 | 'D',
          'V' << 8 | 'A',
          'E' << 8 | 'N',
          'N' << 8 | 'S',
          'E' << 8 | 'X',
          'N' << 8 | 'F' ->
          true;
      default -> false;
    };
  }

  @Override
  protected ByteBuf carried() {
    return carry;
  }

  @Override
  protected void release() {
    probe.release();
    if (carry != null) {
      carry.release();
      carry = null;
    }
  }
}
