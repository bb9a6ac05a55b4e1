package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.bridge.MetaRequestReader;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.TextRequestReader;
import sluice.codecs.memcached.text.MetaLine;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.client.ClientConnection;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Connector;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.server.TextErrors;
import sluice.gateway.session.Worker;
import sluice.names.Command;

/**
 * Requests of text and meta clients in canonical form ({@link Backend}). A line that is wrong is
 * refused here, in the words of memcached: no server sees it.
 */
final class TextBridged {
  private final TextClient client;
  private final Worker worker;
  private final Listening listening;
  private final TextRouting routing;
  private final MetaLine meta;
  private final TextLine line;
  private final StorageLine storage;
  private final Dispatcher dispatcher;

  TextBridged(
      TextClient client,
      Worker worker,
      Dispatcher dispatcher,
      Listening listening,
      TextRouting routing) {
    this.client = client;
    this.worker = worker;
    this.listening = listening;
    this.routing = routing;
    line = worker.line;
    storage = worker.storage;
    meta = worker.meta;
    this.dispatcher = dispatcher;
  }

  private RequestContext take(Command command) {
    return dispatcher.take(client, command, TextRouting.dialect(command));
  }

  // --- requests of one line -----------------------------------------------------------------

  /**
   * A line with one key, in a token, for backend; the routing knows the key. Waits, or is done with
   * it. Borrows buffer.
   */
  void line(Command command, int token, Backend backend, ByteBuf buffer, int next) {
    RequestContext context = take(command);
    try {
      line(context, command, token, backend, buffer, next);
    } finally {
      dispatcher.give(context);
    }
  }

  private void line(
      RequestContext context,
      Command command,
      int token,
      Backend backend,
      ByteBuf buffer,
      int next) {
    KeyRewrite rewrite = routing.rewrite();
    ServerVersion version = TextRouting.version(routing.serverOf(backend.pool(), rewrite));
    String error =
        command == Command.ME ? "ERROR" : read(context.request(), command, token, version);
    int hides = hides(command, version);
    if (error != null) {
      refuse(command, hides, error, buffer, next);
      return;
    }
    if (routing.isUnusable(rewrite, false)) { // in base64 it is looked at when it is written
      routing.refuseLongKey(command, buffer, next, 0);
      return;
    }
    adapt(context, rewrite, backend);
    switch (backend.prepare(context.hiding(hides))) {
      case READY -> {
        ByteBuf refused = backend.send(context);
        client.lineDone(buffer, next);
        answerRefused(command, hides, refused);
      }
      case ANSWERED -> {
        client.lineDone(buffer, next);
        client.answer(command, context.outcome(), context.takeAnswer());
      }
      case FAILED -> {
        boolean noreply = hides == Exchange.HIDE_ALL;
        routing.fail(command, noreply, context.failure(), buffer, next);
      }
      case WAITS -> {}
    }
  }

  private void adapt(RequestContext context, KeyRewrite rewrite, Backend backend) {
    routing.giveKey(context.request());
    context.rename(rewrite);
    backend.adapt(context);
  }

  /**
   * A context for one of several keys, whose line is right: the key in a token, as the servers of
   * backend know it. The caller gives it back.
   *
   * @param connector finds its connections
   */
  RequestContext oneOfMany(
      Command command, int token, Backend backend, KeyRewrite rewrite, Connector connector) {
    RequestContext context = take(command).asOneOfMany(connector);
    read(context.request(), command, token, listening.version());
    adapt(context, rewrite, backend);
    return context;
  }

  /** What was taken for {@link #oneOfMany} is not used any more. */
  void give(RequestContext context) {
    dispatcher.give(context);
  }

  private void refuse(Command command, int hides, String error, ByteBuf buffer, int next) {
    boolean silent = hides == Exchange.HIDE_ALL;
    client.lineDone(buffer, next);
    client.answer(
        command, Outcome.PROTOCOL_ERROR, silent ? null : TextErrors.line(worker.loop(), error));
  }

  /**
   * Answers a meta line that every server refuses, as one of version does: no server sees it.
   * Borrows buffer.
   */
  void refuse(Command command, ServerVersion version, ByteBuf buffer, int next) {
    RequestContext context = take(command);
    String error = read(context.request(), command, 1, version);
    dispatcher.give(context);
    refuse(
        command,
        Exchange.HIDE_NOTHING,
        error == null ? TextRequestReader.BAD_FORMAT : error,
        buffer,
        next);
  }

  private void answerRefused(Command command, int hides, ByteBuf refused) {
    if (refused == null) {
      return; // it was sent
    }
    if (hides == Exchange.HIDE_ALL) {
      refused.release();
      client.answer(command, Outcome.REJECTED, null);
    } else {
      client.answer(command, Outcome.REJECTED, refused);
    }
  }

  /** The error line to answer a line of several keys with, of which one is in a token; or null. */
  String errorIn(Command command, int token) {
    RequestContext context = take(command);
    String error = read(context.request(), command, token, listening.version());
    dispatcher.give(context);
    return error;
  }

  /** Reads the line into request; returns the error line to answer with, or null. */
  private String read(Request request, Command command, int token, ServerVersion version) {
    if (!TextRouting.isMeta(command)) {
      return TextRequestReader.read(line, command, token, version, request);
    }
    String error = MetaRequestReader.read(line, command, version.readsLinesAsProxy(), request);
    request.leaveOut(routing.strippedToken());
    return error == null && request.isBase64 && !routing.isReadable()
        ? MetaRequestReader.badKey(command, version.readsLinesAsProxy())
        : error;
  }

  private int hides(Command command) {
    return hides(command, listening.version());
  }

  private int hides(Command command, ServerVersion version) {
    return switch (command) {
      case MG, MS, MD, MA -> TextMeta.hides(meta, command);
      case DELETE, INCR, DECR, TOUCH ->
          worker.keyed.read(line, command, version).noreply()
              ? Exchange.HIDE_ALL
              : Exchange.HIDE_NOTHING;
      case SET, ADD, REPLACE, APPEND, PREPEND, CAS ->
          storage.noreply() ? Exchange.HIDE_ALL : Exchange.HIDE_NOTHING;
      default -> Exchange.HIDE_NOTHING;
    };
  }

  // --- requests with a data block -----------------------------------------------------------

  /**
   * A storage request, whose line [from, next) is right; its block follows in in as far as it has
   * arrived. Waits, or is done with it. Borrows both.
   */
  void storage(
      Command command, Backend backend, ByteBuf buffer, int from, int next, int block, ByteBuf in) {
    boolean whole = buffer == in && in.writerIndex() - next >= block;
    if (whole && !endsWell(in, next + block)) {
      client.lineDone(buffer, next + block);
      badChunk(command);
      return;
    }
    RequestContext context = take(command);
    try {
      KeyRewrite rewrite = routing.rewrite();
      String error =
          routing.isUnusable(rewrite, false)
              ? TextRequestReader.BAD_FORMAT
              : read(context.request(), command, 1, listening.version());
      if (error != null) {
        client.lineDone(buffer, next);
        client.swallow(block, command, Outcome.REJECTED, TextErrors.line(worker.loop(), error));
        return;
      }
      adapt(context, rewrite, backend);
      context.hiding(hides(command));
      if (whole) {
        whole(context, command, backend, buffer, next, block);
      } else if (block <= ClientConnection.GATHER_LIMIT || backend.gathers(context)) {
        client.gather(buffer, from, next, block);
      } else {
        stream(context, command, backend, buffer, next, block);
      }
    } finally {
      dispatcher.give(context);
    }
  }

  private static boolean endsWell(ByteBuf in, int end) {
    return in.getByte(end - 2) == '\r' && in.getByte(end - 1) == '\n';
  }

  private void badChunk(Command command) {
    client.answer(
        command,
        Outcome.PROTOCOL_ERROR,
        storage.noreply() ? null : TextErrors.line(worker.loop(), "CLIENT_ERROR bad data chunk"));
  }

  private void whole(
      RequestContext context,
      Command command,
      Backend backend,
      ByteBuf buffer,
      int next,
      int block) {
    int hides = hides(command);
    switch (backend.prepare(context)) {
      case READY -> {
        context.value().add(worker.loop().slice(buffer, next, block - 2));
        ByteBuf refused = backend.send(context);
        client.lineDone(buffer, next + block);
        answerRefused(command, hides, refused);
      }
      case FAILED -> {
        boolean noreply = hides == Exchange.HIDE_ALL;
        routing.fail(command, noreply, context.failure(), buffer, next + block);
      }
      default -> {} // it waits: no change is answered without a server
    }
  }

  private void stream(
      RequestContext context,
      Command command,
      Backend backend,
      ByteBuf buffer,
      int next,
      int block) {
    if (!client.isAlone()) {
      return;
    }
    boolean silent = hides(command) == Exchange.HIDE_ALL;
    ByteBuf refused = backend.stream(context, true);
    client.lineDone(buffer, next);
    if (refused != null) {
      if (silent) {
        refused.release();
      }
      client.swallow(block, command, Outcome.REJECTED, silent ? null : refused);
    }
  }

  /** A storage request whose line and block have been gathered. */
  void gathered(Command command, Backend backend) {
    if (!client.pieces().endWithLineEnd()) {
      client.gatheredDone();
      badChunk(command);
      return;
    }
    int hides = hides(command);
    RequestContext context = take(command);
    try {
      read(context.request(), command, 1, listening.version()); // has been found right before
      adapt(context, routing.rewrite(), backend);
      switch (backend.prepare(context.hiding(hides))) {
        case READY -> {
          client.pieces().moveTo(context.value(), 2);
          ByteBuf refused = backend.send(context);
          client.gatheredDone();
          answerRefused(command, hides, refused);
        }
        case FAILED -> routing.failGathered(command, hides, context.failure());
        default -> {} // it waits: no change is answered without a server
      }
    } finally {
      dispatcher.give(context);
    }
  }

  /**
   * Deletes the item that a request would have replaced, whose value is too large.
   *
   * @return false if the request has to be tried again
   */
  boolean delete(Command command, Backend backend) {
    RequestContext context = take(command);
    try {
      if (read(context.request(), command, 1, listening.version()) != null) {
        return true;
      }
      adapt(context, routing.rewrite(), backend);
      return dispatcher.delete(context, backend);
    } finally {
      dispatcher.give(context);
    }
  }
}
