package sluice.gateway.client.text;

import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.text.request.RequestLine;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.server.TextErrors;
import sluice.gateway.session.LoopState;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Handler of the text-protocol requests of one event loop: answers them locally or forwards them,
 * rewritten unless their bytes are canonical.
 *
 * <p>All state of a request is in its {@link TextRequest}, which knows its client. A method that
 * must wait returns without finishing the request: it is called again with the same one.
 */
public final class TextRequests implements TextReader.Handler {
  private static final int LONGEST_TIME = 32;

  /** Bytes of the shortest line that servers from 1.6.40 on read, including its end. */
  private static final int SHORTEST = 4;

  private final Loop loop;
  private final TextReads reads;
  private final TextKeyed keyed;
  private final TextMeta meta;
  private final TextStorage storage;
  private final TextOperations operations;

  /** The handler of the requests of loopState's event loop. */
  public TextRequests(LoopState loopState, Dispatcher dispatcher, TextPools pools) {
    loop = loopState.loop();
    TextRefusals refusals = new TextRefusals(loop);
    StoreExecution store = new StoreExecution(loop, refusals);
    UnreadableLines unreadable = new UnreadableLines(refusals, store);
    TextBridged bridged = new TextBridged(loop, dispatcher, refusals);
    ManyReads many = new ManyReads(loop, pools, refusals, unreadable, bridged);
    reads = new TextReads(loop, many, refusals, store, unreadable, bridged);
    keyed = new TextKeyed(loop, refusals, store, unreadable, bridged);
    meta = new TextMeta(loop, refusals, store, unreadable, bridged);
    storage = new TextStorage(loop, refusals, store, bridged);
    operations = new TextOperations(loopState, dispatcher, refusals, store);
  }

  @Override
  public void handle(TextRequest request) {
    Command command = request.command();
    ConnectedClient client = request.client();
    if (request.length() > RequestLine.MAX_LINE && !mayBeLong(request)) {
      request.reader().lineDone();
      client.end(); // as in memcached: without an answer
      return;
    }
    if (client.wantsNoReplies() && onlyReads(request)) {
      request.reader().lineDone();
      client.unwanted(command);
      return;
    }
    if (!takes(request)) {
      switch (command) {
        case SET, ADD, REPLACE, APPEND, PREPEND, CAS, MS -> storage.refuseDialect(request);
        default -> unknown(request);
      }
      return;
    }
    switch (command) {
      case GET, GETS, GAT, GATS -> reads.request(request);
      case SET, ADD, REPLACE, APPEND, PREPEND, CAS, MS -> storage.request(request);
      case MG, MD, MA -> meta.request(request);
      case ME -> keyed.request(request, ReplyKind.LINE);
      case DELETE -> keyed.request(request, ReplyKind.DELETED);
      case INCR, DECR -> keyed.request(request, ReplyKind.NUMBER);
      case TOUCH -> keyed.request(request, ReplyKind.TOUCHED);
      case MN -> fence(request);
      case QUIT -> {
        request.reader().lineDone();
        client.end();
      }
      case UNKNOWN -> unknown(request);
      default -> operations.request(request);
    }
  }

  @Override
  public void handleGathered(TextRequest request) {
    storage.gathered(request);
  }

  /** Whether a complete line is accepted although it is long; it is not sent unchanged. */
  private static boolean mayBeLong(TextRequest request) {
    TextLine line = request.line;
    return switch (request.command()) {
      case GET, GETS -> true;
      case GAT, GATS -> line.count() > 2 && line.length(1) <= LONGEST_TIME && !line.hasNul();
      default -> false;
    };
  }

  /** Whether the request has no effect besides its reply. */
  private static boolean onlyReads(TextRequest request) {
    return switch (request.command()) {
      case GET, GETS, VERSION, MN, ME -> true;
      case MG -> !hasEffect(request.line);
      default -> false;
    };
  }

  /** Whether a meta get has a flag that changes its item, or may make a client the winner. */
  private static boolean hasEffect(TextLine line) {
    for (int token = 2; token < line.count(); token++) {
      byte flag = line.buffer().getByte(line.start(token));
      if (flag == 'T' || flag == 'N' || flag == 'R' || flag == 'E') {
        return true;
      }
    }
    return false;
  }

  /** Whether the listener accepts the command's dialect. */
  private static boolean takes(TextRequest request) {
    return switch (request.command()) {
      case MG, MS, MD, MA, MN, ME -> request.listenerView().takes(Dialect.META);
      case QUIT, VERSION, UNKNOWN -> true;
      default -> request.listenerView().takes(Dialect.TEXT);
    };
  }

  private void fence(TextRequest request) {
    if (isTooShort(request)) {
      unknown(request);
      return;
    }
    ConnectedClient client = request.client();
    request.reader().lineDone();
    client.answer(Command.MN, Outcome.OK, TextErrors.line(loop, "MN"));
  }

  /** Whether a line is refused for its length, which includes its end: also mn behind a bare LF. */
  private static boolean isTooShort(TextRequest request) {
    return request.listenerView().version().readsLinesAsProxy() && request.length() < SHORTEST;
  }

  private void unknown(TextRequest request) {
    TextLine line = request.line;
    ConnectedClient client = request.client();
    int last = line.count() - 1;
    if (last > 0 && isHttp(line, last)) {
      request.reader().lineDone();
      client.end(); // as in memcached: a browser was made to send this
      return;
    }
    boolean bad = isTooShort(request);
    String reply = bad ? TextRefusals.BAD_FORMAT : "ERROR";
    boolean silent = !bad && isSilent(request);
    request.reader().lineDone();
    client.answer(
        Command.UNKNOWN, Outcome.PROTOCOL_ERROR, silent ? null : TextErrors.line(loop, reply));
  }

  /** Whether nothing is answered to a request that is unknown, or of a refused dialect. */
  private static boolean isSilent(TextRequest request) {
    TextLine line = request.line;
    int last = line.count() - 1;
    return switch (request.command()) {
      case UNKNOWN ->
          request.listenerView().version().readsLinesAsProxy()
              && last >= 0
              && line.is(last, "noreply");
      case DELETE, INCR, DECR, TOUCH -> TextRefusals.isSilent(request);
      case GET, GETS, GAT, GATS, MG, MD, MA, MN, ME -> false; // noreply is a key, or wrong
      default -> KeylessWriter.isSilent(request);
    };
  }

  private static boolean isHttp(TextLine line, int token) {
    return line.length(token) >= 5
        && line.buffer().getByte(line.start(token)) == 'H'
        && line.string(token).startsWith("HTTP/");
  }
}
