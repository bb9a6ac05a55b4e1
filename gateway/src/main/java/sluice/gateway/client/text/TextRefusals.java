package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.bridge.MetaRequestReader;
import sluice.codecs.memcached.bridge.TextRequestReader;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Limiter;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.route.Rule;
import sluice.gateway.server.TextErrors;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Command;

/**
 * Answers to text requests that no server gets: refused by their rule, over a limit, or without a
 * server that could take them. A request that is answered is finished.
 */
final class TextRefusals {
  static final String BAD_FORMAT = TextRequestReader.BAD_FORMAT;

  private static final String BAD_CHUNK = "CLIENT_ERROR bad data chunk";

  private final Loop loop;

  TextRefusals(Loop loop) {
    this.loop = loop;
  }

  // --- by its rule ------------------------------------------------------------------------------

  /**
   * Finds the rule for the key in a token of a new request. Answers if that refuses it.
   *
   * @return whether the request may be sent
   */
  boolean admits(TextRequest request, int token, boolean base64) {
    TextRouting.find(request, token, base64);
    if (refused(request, 0)) {
      return false;
    }
    request.admitted();
    return true;
  }

  /**
   * Answers for a rule that rejects the request; returns whether it did.
   *
   * @param block length of the data block, which is discarded first
   */
  boolean refused(TextRequest request, int block) {
    Rule rule = request.rule();
    String reason = rule == null ? request.listenerView().noRule() : refusal(request, rule);
    if (reason == null) {
      return false;
    }
    refuse(request, reason, block);
    return true;
  }

  /** The reason for which its rule, or its rule's limit, refuses the request; null if none does. */
  private static @Nullable String refusal(TextRequest request, Rule rule) {
    if (rule.reject() != null) {
      return rule.reject();
    }
    Limiter limiter = request.listenerView().limiter(rule);
    return limiter != null && request.client().isOver(limiter) ? limiter.reason() : null;
  }

  /** Answers as if there were no rule for the request. */
  void refuseWithoutRule(TextRequest request) {
    refuse(request, request.listenerView().noRule(), 0);
  }

  private void refuse(TextRequest request, String reason, int block) {
    ByteBuf reply = isSilent(request) ? null : TextErrors.serverError(loop, reason);
    request.reader().discard(block, request.command(), Outcome.REJECTED, reply);
  }

  /** As {@link #refuseLongKey(TextRequest, int)}, without a data block, in the version's words. */
  void refuseLongKey(TextRequest request, ServerVersion version) {
    String error =
        request.isMeta() ? MetaRequestReader.longKey(request.command(), version) : BAD_FORMAT;
    answer(request, Outcome.REJECTED, isSilent(request), error);
  }

  /** Whether nothing is answered, as the first server's version reads the line. */
  static boolean isSilent(TextRequest request) {
    return switch (request.command()) {
      case DELETE, INCR, DECR, TOUCH ->
          request
              .keyed
              .read(request.line, request.command(), request.listenerView().version())
              .noreply();
      case SET, ADD, REPLACE, APPEND, PREPEND, CAS -> request.storage.noreply();
      default -> false;
    };
  }

  /** Answers for one of several keys that its rule, which was just found, refuses. */
  boolean refusedOne(TextRequest request) {
    if (isRejected(request)) {
      refused(request, 0);
      return true;
    }
    if (request.key.isUnusable(false)) {
      refuseLongKey(request, 0);
      return true;
    }
    return false;
  }

  /** Whether {@link #refusedOne} would answer. */
  boolean refusesOne(TextRequest request) {
    return isRejected(request) || request.key.isUnusable(false);
  }

  private static boolean isRejected(TextRequest request) {
    Rule rule = request.rule();
    return rule == null || rule.reject() != null;
  }

  // --- by the limits of several -----------------------------------------------------------------

  /**
   * Answers for a read whose keys are together over the limit of one of their rules; returns
   * whether it did. All of them pass, or none.
   */
  boolean refusedAsMany(TextRequest request) {
    if (request.client().isAdmitted() || !request.listenerView().countsRequests()) {
      return false;
    }
    wantMany(request);
    return refusedAsWanted(request);
  }

  /** Adds the line's keys to those that are counted together, and counts them for their rules. */
  void wantMany(TextRequest request) {
    ListenerView listenerView = request.listenerView();
    for (int token = request.firstKey(); token < request.line.count(); token++) {
      TextRouting.findOne(request, token);
      TextRouting.count(request);
      Rule rule = request.rule();
      Limiter limiter = rule == null ? null : listenerView.limiter(rule);
      if (limiter != null) {
        limiter.want();
      }
    }
  }

  /** Answers for a read whose {@link #wantMany added} keys are over a limit. */
  boolean refusedAsWanted(TextRequest request) {
    Limiter over = request.listenerView().takeWanted();
    if (over != null) {
      refuse(request, over.reason(), 0);
      return true;
    }
    request.client().admit();
    return false;
  }

  // --- for its key or its server ----------------------------------------------------------------

  /** Answers for a key that is too long once it is rewritten; not at all if that is asked for. */
  void refuseLongKey(TextRequest request, int block) {
    ByteBuf reply = isSilent(request) ? null : TextErrors.line(loop, BAD_FORMAT);
    request.reader().discard(block, request.command(), Outcome.REJECTED, reply);
  }

  /** Answers an error line, or nothing. */
  void answer(TextRequest request, Outcome outcome, boolean silently, String error) {
    Command command = request.command();
    ConnectedClient client = request.client();
    request.reader().lineDone();
    client.answer(command, outcome, silently ? null : TextErrors.line(loop, error));
  }

  /**
   * Answers for a data block that has arrived and does not end with a line end.
   *
   * @param block its length
   */
  void refuseChunk(TextRequest request, int block) {
    Command command = request.command();
    ConnectedClient client = request.client();
    ByteBuf reply = request.storage.noreply() ? null : TextErrors.line(loop, BAD_CHUNK);
    request.reader().lineDone(block);
    client.answer(command, Outcome.PROTOCOL_ERROR, reply);
  }

  /** As {@link #refuseChunk}, for a block that was gathered. */
  void refuseGatheredChunk(TextRequest request) {
    answerGathered(request, Outcome.PROTOCOL_ERROR, BAD_CHUNK);
  }

  /** Answers a storage request whose block was gathered with an error line, or nothing. */
  void answerGathered(TextRequest request, Outcome outcome, String error) {
    Command command = request.command();
    ConnectedClient client = request.client();
    ByteBuf reply = request.storage.noreply() ? null : TextErrors.line(loop, error);
    request.reader().gatheredDone();
    client.answer(command, outcome, reply);
  }

  /**
   * Answers for a server whose version does not know the command, or such a line.
   *
   * @param block bytes of the data block, which have arrived
   */
  void refuseFor(ServerConnection connection, TextRequest request, int block) {
    Command command = request.command();
    ConnectedClient client = request.client();
    boolean silent = request.suppression() == Suppression.ALL;
    boolean knows =
        request.isTouchingRead()
            ? connection.version().touchesReads()
            : connection.version().speaksMeta();
    request.reader().lineDone(block);
    client.answer(
        command,
        Outcome.REJECTED,
        silent ? null : TextErrors.line(loop, knows ? BAD_FORMAT : "ERROR"));
  }

  /**
   * Without a connection: fails the request, unless it waits for one.
   *
   * @param block bytes of the data block, which have arrived
   */
  void failUnlessWaiting(TextRequest request, int block) {
    String failure = request.client().failure();
    if (failure != null) {
      fail(request, request.suppression() == Suppression.ALL, failure, block);
    }
  }

  /**
   * Fails the request.
   *
   * @param block bytes of the data block, which have arrived
   */
  void fail(TextRequest request, boolean silently, String reason, int block) {
    Command command = request.command();
    ConnectedClient client = request.client();
    request.reader().lineDone(block);
    Suppression suppression = silently ? Suppression.ALL : Suppression.NOTHING;
    client.fail(client.newReply(command, ReplyKind.LINE, suppression), reason);
  }
}
