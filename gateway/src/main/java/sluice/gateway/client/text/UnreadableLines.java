package sluice.gateway.client.text;

import sluice.codecs.memcached.bridge.TextRequestReader;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;

/**
 * The answers to lines that name no key a server could have. No server sees one: the answer is that
 * of the version whose servers the line is for. A store of this process answers for itself.
 */
final class UnreadableLines {
  private static final String BAD_EXPTIME = TextRequestReader.BAD_EXPTIME;

  private final Listening listening;
  private final TextRouting routing;
  private final TextRefusals refusals;
  private final StoreExecution store;

  UnreadableLines(
      Listening listening, TextRouting routing, TextRefusals refusals, StoreExecution store) {
    this.listening = listening;
    this.routing = routing;
    this.refusals = refusals;
    this.store = store;
  }

  /** Whether it is a gat without a valid time to live. */
  boolean isTouchWithoutTime(TextRequest request) {
    return request.isTouchingRead()
        && request.keyed.read(request.line, request.command(), listening.version()).error() != null;
  }

  /**
   * A new read with a key that is too long, or of many keys with no time to live. No server may see
   * it: memcached throws away all that it has not sent yet ("Kill any stacked responses we had",
   * process_get_command), the replies to earlier requests of other clients.
   */
  void wrongRead(TextRequest request) {
    int firstKey = request.firstKey();
    Pool pool = routing.poolOf(request, firstKey);
    if (refused(request, firstKey)) {
      return;
    }
    if (pool != null && pool.embedded() != null && request.line.isWhole()) {
      execute(request, pool);
      return;
    }
    String reply = TextRefusals.BAD_FORMAT;
    if (isTouchWithoutTime(request)) {
      reply = BAD_EXPTIME;
    } else if (listening.version().readsLinesAsProxy()) {
      reply += "\r\n"; // an empty line follows
    }
    refusals.answer(request, Outcome.PROTOCOL_ERROR, false, reply);
  }

  /** A new line without a key in a token, or with one that is too long. */
  void withoutKey(TextRequest request, int token) {
    Pool pool = routing.poolOf(request, token);
    if (pool == null) {
      refusals.refuseWithoutRule(request);
    } else if (refused(request, token)) {
      return;
    } else if (pool.embedded() != null) {
      execute(request, pool);
    } else {
      refuse(request, token);
    }
  }

  /** Whether its rule refuses a line that counts though it is not read as a server would. */
  private boolean refused(TextRequest request, int token) {
    boolean counts =
        request.line.count() > token && request.rule() != null && request.rule().reject() == null;
    return counts && refusals.refused(request, 0);
  }

  private void execute(TextRequest request, Pool pool) {
    if (request.key.rewrite() != null) {
      refusals.refuseLongKey(request, 0); // the store must not see the client's key
    } else {
      store.executeAsIs(request, pool, 0);
    }
  }

  private void refuse(TextRequest request, int token) {
    boolean proxy = listening.version().readsLinesAsProxy();
    String reply = proxy || request.line.count() > token ? TextRefusals.BAD_FORMAT : "ERROR";
    boolean silent = false;
    switch (request.command()) {
      case DELETE, INCR, DECR, TOUCH, ME -> {
        request.keyed.read(request.line, request.command(), listening.version());
        reply = request.keyed.error();
        silent = request.keyed.noreply();
      }
      case GAT, GATS -> {
        if (request.line.count() == 2 && !proxy) {
          reply = isTouchWithoutTime(request) ? BAD_EXPTIME : "END"; // as before 1.6.40
        }
      }
      default -> {
        // of any other command, the line is too short, or its key too long
      }
    }
    refusals.answer(request, Outcome.PROTOCOL_ERROR, silent, reply);
  }
}
