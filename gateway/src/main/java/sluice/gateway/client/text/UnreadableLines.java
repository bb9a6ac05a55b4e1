package sluice.gateway.client.text;

import sluice.codecs.memcached.bridge.MetaRequestReader;
import sluice.codecs.memcached.bridge.TextRequestReader;
import sluice.codecs.memcached.text.KeyedLine;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.route.Rule;
import sluice.names.Command;

/**
 * Answers to lines without a valid key. No server gets one: the answer is that of the servers'
 * version. The embedded store answers for itself, unless it would carry out a part of the line.
 */
final class UnreadableLines {
  private static final String BAD_EXPTIME = TextRequestReader.BAD_EXPTIME;

  private final TextRefusals refusals;
  private final StoreExecution store;

  UnreadableLines(TextRefusals refusals, StoreExecution store) {
    this.refusals = refusals;
    this.store = store;
  }

  /** Whether it is a gat without a valid time to live. */
  static boolean isTouchWithoutTime(TextRequest request) {
    return request.isTouchingRead()
        && request
                .keyed
                .read(request.line, request.command(), request.listenerView().version())
                .error()
            != null;
  }

  /**
   * Refuses a read with a key that is too long, or of many keys with an invalid time to live. No
   * server may get it, because memcached would drop unsent replies to other clients' earlier
   * requests ("Kill any stacked responses we had", process_get_command). A store would touch the
   * keys before the long one, and the rules have seen none but the first.
   */
  void wrongRead(TextRequest request) {
    int firstKey = request.firstKey();
    Pool pool = TextRouting.poolOf(request, firstKey);
    if (refused(request, firstKey)) {
      return;
    }
    boolean embedded = pool != null && pool.embedded() != null;
    String reply = TextRefusals.BAD_FORMAT;
    if (isTouchWithoutTime(request)) {
      reply = BAD_EXPTIME;
    } else if (embedded || request.listenerView().version().readsLinesAsProxy()) {
      reply += "\r\n"; // an empty line follows
    }
    refusals.answer(request, Outcome.PROTOCOL_ERROR, false, reply);
  }

  /** Refuses a line without a key in a token, or with one that is too long. */
  void withoutKey(TextRequest request, int token) {
    Pool pool = TextRouting.poolOf(request, token);
    if (pool == null) {
      refusals.refuseWithoutRule(request);
      return;
    }
    if (refused(request, token)) {
      return;
    }
    EmbeddedSession embedded = pool.embedded();
    if (embedded != null) {
      execute(request, embedded);
    } else {
      refuse(request, token);
    }
  }

  /** Whether its rule refuses a line that counts although it is not parsed as a server would. */
  private boolean refused(TextRequest request, int token) {
    Rule rule = request.rule();
    boolean counts = request.line.count() > token && rule != null && rule.reject() == null;
    return counts && refusals.refused(request, 0);
  }

  private void execute(TextRequest request, EmbeddedSession embedded) {
    if (request.key.rewrite() != null) {
      refusals.refuseLongKey(request, 0); // the store must not see the client's key
    } else {
      store.executeAsIs(request, embedded, 0);
    }
  }

  /** The error of a line without a key, or with one that is too long. */
  @SuppressWarnings("NullAway") // no version takes such a line
  private static String errorOf(KeyedLine line) {
    return line.error();
  }

  private void refuse(TextRequest request, int token) {
    boolean proxy = request.listenerView().version().readsLinesAsProxy();
    String reply = proxy || request.line.count() > token ? TextRefusals.BAD_FORMAT : "ERROR";
    boolean silent = false;
    switch (request.command()) {
      case DELETE, INCR, DECR, TOUCH, ME -> {
        request.keyed.read(request.line, request.command(), request.listenerView().version());
        reply = errorOf(request.keyed);
        silent = request.keyed.noreply();
      }
      case GAT, GATS -> {
        if (request.line.count() == 2 && !proxy) {
          reply = isTouchWithoutTime(request) ? BAD_EXPTIME : "END"; // as before 1.6.40
        }
      }
      case MA -> {
        if (request.line.count() > token) {
          reply = MetaRequestReader.longKey(Command.MA, request.listenerView().version());
        }
      }
      default -> {
        // for any other command, the line is too short, or its key too long
      }
    }
    refusals.answer(request, Outcome.PROTOCOL_ERROR, silent, reply);
  }
}
