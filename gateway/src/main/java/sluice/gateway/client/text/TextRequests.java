package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.text.TextCommands;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.server.TextErrors;
import sluice.gateway.session.Worker;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Handler of one text-protocol request: answers it locally or forwards it, written anew unless its
 * bytes are canonical.
 *
 * <p>A method that has to wait for a server leaves everything as it is: it is called again with the
 * same request.
 */
public final class TextRequests implements TextClient.Lines {
  private static final int LONGEST_TIME = 32;

  private final TextClient client;
  private final Worker worker;
  private final Listening listening;
  private final TextLine line;
  private final TextRouting routing;
  private final TextReads reads;
  private final TextKeyed keyed;
  private final TextMeta meta;
  private final TextStorage storage;
  private final TextOperations operations;
  private final boolean classic;
  private final boolean metas;

  public TextRequests(
      TextClient client,
      Worker worker,
      Dispatcher dispatcher,
      MultiGets multiGets,
      Listening listening) {
    this.client = client;
    this.worker = worker;
    this.listening = listening;
    line = worker.line;
    routing = new TextRouting(client, worker, listening);
    TextBridged bridged = new TextBridged(client, worker, dispatcher, listening, routing);
    meta = new TextMeta(client, worker, routing, bridged);
    reads = new TextReads(client, worker, multiGets, listening, routing, bridged);
    keyed = new TextKeyed(client, worker, listening, routing, bridged);
    storage = new TextStorage(client, worker, listening, routing, meta, bridged);
    operations = new TextOperations(client, worker, dispatcher, listening);
    classic = listening.takes(Dialect.TEXT);
    metas = listening.takes(Dialect.META);
  }

  @Override
  public void line(ByteBuf buffer, int from, int next, ByteBuf in) {
    Command command = read(buffer, from, next);
    if (next - from > RequestLine.MAX_LINE && !mayBeLong(command)) {
      client.lineDone(buffer, next);
      client.end(); // as memcached does: without a word
      return;
    }
    if (client.wantsNoReplies() && onlyReads(command)) {
      client.lineDone(buffer, next);
      client.unwanted(command);
      return;
    }
    if (!takes(command)) {
      switch (command) {
        case SET, ADD, REPLACE, APPEND, PREPEND, CAS, MS ->
            storage.refuseDialect(command, buffer, next);
        default -> unknown(buffer, from, next);
      }
      return;
    }
    switch (command) {
      case GET, GETS -> reads.values(command, 1, buffer, from, next);
      case GAT, GATS -> reads.values(command, 2, buffer, from, next);
      case SET, ADD, REPLACE, APPEND, PREPEND, CAS, MS ->
          storage.request(command, buffer, from, next, in);
      case MG, MD, MA -> meta.line(command, buffer, from, next);
      case ME -> keyed.line(command, Grammar.LINE, buffer, from, next);
      case DELETE -> keyed.line(command, Grammar.DELETED, buffer, from, next);
      case INCR, DECR -> keyed.line(command, Grammar.NUMBER, buffer, from, next);
      case TOUCH -> keyed.line(command, Grammar.TOUCHED, buffer, from, next);
      case MN -> {
        client.lineDone(buffer, next);
        client.answer(Command.MN, Outcome.OK, TextErrors.line(worker.loop(), "MN"));
      }
      case QUIT -> {
        client.lineDone(buffer, next);
        client.end();
      }
      case UNKNOWN -> unknown(buffer, from, next);
      default -> operations.keyless(command, line, buffer, from, next, in);
    }
  }

  /** Whether a line that is here with its end is read though it is long; not sent as it is. */
  private boolean mayBeLong(Command command) {
    return switch (command) {
      case GET, GETS -> true;
      case GAT, GATS -> line.count() > 2 && line.length(1) <= LONGEST_TIME && !line.hasNul();
      default -> false;
    };
  }

  /** Whether the request, whose line is read, does nothing but bring a reply. */
  private boolean onlyReads(Command command) {
    return switch (command) {
      case GET, GETS, VERSION, MN, ME -> true;
      case MG -> !hasEffect();
      default -> false;
    };
  }

  /** Whether a meta get has a flag that changes its item, or lets somebody win it. */
  private boolean hasEffect() {
    for (int token = 2; token < line.count(); token++) {
      byte flag = line.buffer().getByte(line.start(token));
      if (flag == 'T' || flag == 'N' || flag == 'R' || flag == 'E') {
        return true;
      }
    }
    return false;
  }

  @Override
  public void gathered(ByteBuf head) {
    storage.gathered(read(head, 0, head.writerIndex()), head);
  }

  private Command read(ByteBuf buffer, int from, int next) {
    line.wrapWithEnd(buffer, from, next);
    if (line.hasNul() && !listening.version().readsLinesAsProxy()) {
      line.cutAtNul();
    }
    Command command = TextCommands.of(line);
    if (command == Command.UNKNOWN
        || (buffer.getByte(from) == ' ' && listening.version().readsLinesAsProxy())) {
      return Command.UNKNOWN;
    }
    return command;
  }

  /** Whether the listener takes the dialect that the command is of. */
  private boolean takes(Command command) {
    return switch (command) {
      case MG, MS, MD, MA, MN, ME -> metas;
      case QUIT, VERSION, UNKNOWN -> true;
      default -> classic;
    };
  }

  private void unknown(ByteBuf buffer, int from, int next) {
    int last = line.count() - 1;
    if (last > 0 && isHttp(line, last)) {
      client.lineDone(buffer, next);
      client.end(); // as memcached does: a browser was led here
      return;
    }
    int length = next - from - (next - from > 1 && buffer.getByte(next - 2) == '\r' ? 2 : 1);
    String reply = "ERROR";
    if (listening.version().readsLinesAsProxy()) {
      if (length < 2) {
        reply = "CLIENT_ERROR bad command line format";
      } else if (last > 0 && line.is(last, "noreply")) {
        reply = null;
      }
    }
    client.lineDone(buffer, next);
    client.answer(
        Command.UNKNOWN,
        Outcome.PROTOCOL_ERROR,
        reply == null ? null : TextErrors.line(worker.loop(), reply));
  }

  private static boolean isHttp(TextLine line, int token) {
    return line.length(token) >= 5
        && line.buffer().getByte(line.start(token)) == 'H'
        && line.string(token).startsWith("HTTP/");
  }
}
