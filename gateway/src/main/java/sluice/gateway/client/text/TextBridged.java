package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.bridge.MetaRequestReader;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.TextRequestReader;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Connector;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.TextErrors;
import sluice.names.Command;

/**
 * Handler of text and meta requests that take the canonical form ({@link Backend}). An invalid line
 * is refused here, in memcached's words: no server gets it. The canonical form of a waiting request
 * is kept in its {@link TextRequest}.
 */
final class TextBridged {
  private final Loop loop;
  private final TextRefusals refusals;
  private final Dispatcher dispatcher;

  TextBridged(Loop loop, Dispatcher dispatcher, TextRefusals refusals) {
    this.loop = loop;
    this.refusals = refusals;
    this.dispatcher = dispatcher;
  }

  private RequestContext take(TextRequest request) {
    return dispatcher.take(request.client(), request.command(), request.dialect());
  }

  /** Takes back a context of {@link #oneOfMany}. */
  void give(RequestContext context) {
    dispatcher.give(context);
  }

  // --- reading ----------------------------------------------------------------------------------

  /** Parses the line into canonical form; returns the error line to answer with, or null. */
  private static @Nullable String read(
      TextRequest request, int token, ServerVersion version, Request canonical) {
    if (!request.isMeta()) {
      return TextRequestReader.read(request.line, request.command(), token, version, canonical);
    }
    String error = MetaRequestReader.read(request.line, request.command(), version, canonical);
    canonical.leaveOut(request.strippedToken());
    return error;
  }

  /** The version of the key's server, which decides how the line is read. */
  private static ServerVersion versionFor(TextRequest request, Backend backend) {
    return TextRouting.serverOf(backend.pool(), request).version();
  }

  private static void adapt(RequestContext context, TextRequest request, Backend backend) {
    request.key.giveTo(context.request());
    context.rename(request.key.rewrite());
    backend.adapt(context);
  }

  /** The error line for a line of several keys, if the one in a token is invalid; or null. */
  @Nullable String errorIn(TextRequest request, int token) {
    RequestContext context = take(request);
    String error = read(request, token, request.listenerView().version(), context.request());
    dispatcher.give(context);
    return error;
  }

  /**
   * A context for one of several keys of a valid line: the server key of the key in a token, for
   * the servers of backend. The caller must release it.
   *
   * @param connector provides its connections
   */
  RequestContext oneOfMany(TextRequest request, int token, Backend backend, Connector connector) {
    RequestContext context = take(request).asOneOfMany(connector);
    read(request, token, request.listenerView().version(), context.request());
    adapt(context, request, backend);
    return context;
  }

  // --- requests of one line ---------------------------------------------------------------------

  /** Handles a line with one key, in a token, for backend. Waits, or finishes it. */
  void line(TextRequest request, int token, Backend backend) {
    ServerVersion version = versionFor(request, backend);
    RequestContext context = request.canonical(backend, version);
    if (context == null) {
      context = canonicalLine(request, token, backend, version);
    }
    if (context == null) {
      return; // it is answered
    }
    Command command = request.command();
    ConnectedClient client = request.client();
    Suppression suppression = context.suppression();
    switch (backend.prepare(context)) {
      case READY -> {
        ByteBuf refused = backend.send(context);
        request.reader().lineDone();
        answerRefused(client, command, suppression, refused);
      }
      case ANSWERED -> {
        Outcome outcome = context.outcome();
        ByteBuf answer = context.takeAnswer();
        request.reader().lineDone();
        client.answer(command, outcome, answer);
      }
      case FAILED -> refusals.fail(request, suppression == Suppression.ALL, context.failure(), 0);
      case WAITS -> {}
    }
  }

  /** The line in canonical form; null if it is invalid, and answered. */
  private @Nullable RequestContext canonicalLine(
      TextRequest request, int token, Backend backend, ServerVersion version) {
    RequestContext context = fresh(request, backend, version);
    String error =
        request.command() == Command.ME
            ? "ERROR"
            : read(request, token, version, context.request());
    Suppression suppression = suppression(request, version);
    if (error != null) {
      refusals.answer(request, Outcome.PROTOCOL_ERROR, suppression == Suppression.ALL, error);
      return null;
    }
    if (request.key.isUnusable(false)) { // a key in base64 is checked when it is written
      refusals.refuseLongKey(request, version);
      return null;
    }
    adapt(context, request, backend);
    return context.suppressing(suppression);
  }

  /** A context for the request's canonical form, which replaces one for another backend. */
  private RequestContext fresh(TextRequest request, Backend backend, ServerVersion version) {
    RequestContext old = request.takeCanonical();
    if (old != null) {
      dispatcher.give(old);
    }
    RequestContext context = take(request);
    request.canonical(context, backend, version);
    return context;
  }

  private static Suppression suppression(TextRequest request, ServerVersion version) {
    switch (request.command()) {
      case DELETE, INCR, DECR, TOUCH ->
          request.keyed.read(request.line, request.command(), version);
      default -> {} // was parsed, for every version
    }
    return request.suppression();
  }

  /** Answers a meta line that every server refuses, as one of version does: no server gets it. */
  void refuse(TextRequest request, ServerVersion version) {
    RequestContext context = take(request);
    String error = read(request, 1, version, context.request());
    dispatcher.give(context);
    refusals.answer(
        request, Outcome.PROTOCOL_ERROR, false, error == null ? TextRefusals.BAD_FORMAT : error);
  }

  private static void answerRefused(
      ConnectedClient client, Command command, Suppression suppression, @Nullable ByteBuf refused) {
    if (refused == null) {
      return; // it was sent
    }
    if (suppression == Suppression.ALL) {
      refused.release();
      client.answer(command, Outcome.REJECTED, null);
    } else {
      client.answer(command, Outcome.REJECTED, refused);
    }
  }

  // --- requests with a data block ---------------------------------------------------------------

  /**
   * Handles a storage request with a valid line and a block of that length, which may have arrived
   * in part. Waits, or finishes it.
   */
  void storage(TextRequest request, Backend backend, int block) {
    boolean whole = request.hasBlock(block);
    if (whole && !request.endsBlock(block)) {
      refusals.refuseChunk(request, block);
      return;
    }
    ServerVersion version = versionFor(request, backend);
    RequestContext context = request.canonical(backend, version);
    if (context == null) {
      context = fresh(request, backend, version);
      String error = readStorage(request, context, backend, version);
      if (error != null) {
        ByteBuf reply = request.storage.noreply() ? null : TextErrors.line(loop, error);
        request.reader().discard(block, request.command(), Outcome.REJECTED, reply);
        return;
      }
    }
    if (whole) {
      whole(request, context, backend, block);
    } else if (block <= ConnectedClient.GATHER_LIMIT || backend.gathers(context)) {
      request.reader().gather(block);
    } else {
      stream(request, context, backend, block);
    }
  }

  /** Reads the line for backend; returns the error line to answer with, or null. */
  private static @Nullable String readStorage(
      TextRequest request, RequestContext context, Backend backend, ServerVersion version) {
    if (request.key.isUnusable(false)) {
      return TextRefusals.BAD_FORMAT;
    }
    String error = read(request, 1, version, context.request());
    if (error == null) {
      adapt(context.suppressing(request.suppression()), request, backend);
    }
    return error;
  }

  private void whole(TextRequest request, RequestContext context, Backend backend, int block) {
    Command command = request.command();
    ConnectedClient client = request.client();
    Suppression suppression = context.suppression();
    switch (backend.prepare(context)) {
      case READY -> {
        context.value().add(loop.slice(request.buffer(), request.next(), block - 2));
        ByteBuf refused = backend.send(context);
        request.reader().lineDone(block);
        answerRefused(client, command, suppression, refused);
      }
      case FAILED ->
          refusals.fail(request, suppression == Suppression.ALL, context.failure(), block);
      default -> {} // it waits: every change needs a server
    }
  }

  private void stream(TextRequest request, RequestContext context, Backend backend, int block) {
    if (!request.client().isAloneAndSettled()) {
      return;
    }
    boolean silent = context.suppression() == Suppression.ALL;
    ByteBuf refused = backend.stream(context, true);
    if (refused == null) {
      request.reader().lineDone();
      return;
    }
    if (silent) {
      refused.release();
    }
    ByteBuf reply = silent ? null : refused;
    request.reader().discard(block, request.command(), Outcome.REJECTED, reply);
  }

  /** Handles a storage request whose line and block have been gathered. */
  void gathered(TextRequest request, Backend backend) {
    ConnectedClient client = request.client();
    if (!client.slices().endWithLineEnd()) {
      refusals.refuseGatheredChunk(request);
      return;
    }
    ServerVersion version = versionFor(request, backend);
    RequestContext context = request.canonical(backend, version);
    if (context == null) {
      context = fresh(request, backend, version);
      String error = readStorage(request, context, backend, version);
      if (error != null) { // the key has another server, or its server another version, by now
        refusals.answerGathered(request, Outcome.PROTOCOL_ERROR, error);
        return;
      }
    }
    Command command = request.command();
    Suppression suppression = context.suppression();
    switch (backend.prepare(context)) {
      case READY -> {
        client.slices().moveTo(context.value(), 2);
        ByteBuf refused = backend.send(context);
        request.reader().gatheredDone();
        answerRefused(client, command, suppression, refused);
      }
      case FAILED -> {
        String reason = context.failure();
        PendingReply pending = client.newReply(command, ReplyKind.LINE, suppression);
        request.reader().gatheredDone();
        client.fail(pending, reason);
      }
      default -> {} // it waits: every change needs a server
    }
  }

  /**
   * Deletes the item that a request would have replaced, because its value is too large.
   *
   * @return false if the request must be tried again
   */
  boolean delete(TextRequest request, Backend backend) {
    RequestContext context = take(request);
    try {
      if (read(request, 1, versionFor(request, backend), context.request()) != null) {
        return true;
      }
      adapt(context, request, backend);
      return dispatcher.delete(context, backend);
    } finally {
      dispatcher.give(context);
    }
  }
}
