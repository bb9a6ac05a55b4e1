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
import sluice.gateway.dispatch.Bridge;
import sluice.gateway.dispatch.NearReads;
import sluice.gateway.dispatch.RequestSender;
import sluice.gateway.dispatch.Target;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.server.TextErrors;
import sluice.gateway.session.Worker;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Requests of text and meta clients that take the neutral form ({@link Bridge}). A line that is
 * wrong is refused here, in the words of memcached: no server sees it.
 */
final class TextBridged {
  private final TextClient client;
  private final Worker worker;
  private final Listening listening;
  private final TextRouting routing;
  private final MetaLine meta;
  private final TextLine line;
  private final StorageLine storage;
  private final Bridge bridge;
  private final Request request;

  TextBridged(
      TextClient client, Worker worker, Bridge bridge, Listening listening, TextRouting routing) {
    this.client = client;
    this.worker = worker;
    this.listening = listening;
    this.routing = routing;
    line = worker.line;
    storage = worker.storage;
    meta = worker.meta;
    this.bridge = bridge;
    request = bridge.request();
  }

  // --- requests of one line -----------------------------------------------------------------

  /**
   * A line with one key, in a token, for target; the routing knows the key. Waits, or is done with
   * it. Borrows buffer.
   */
  void line(Command command, int token, Target target, ByteBuf buffer, int next) {
    KeyRewrite rewrite = routing.rewrite();
    ServerVersion version = TextRouting.version(routing.serverOf(target, rewrite));
    String error = command == Command.ME ? "ERROR" : read(command, token, version);
    int hides = hides(command, version);
    if (error != null) {
      refuse(command, hides, error, buffer, next);
      return;
    }
    if (isUnusable(rewrite)) {
      routing.refuseLongKey(command, buffer, next, 0);
      return;
    }
    routing.giveKey(request);
    bridge.prepare(target, rewrite);
    Dialect dialect = TextRouting.dialect(command);
    if (target.near() != null) {
      NearReads.Look look =
          bridge.near().look(client, command, RequestSender.replies(dialect), target, hides);
      if (look == NearReads.Look.ANSWERED) {
        client.lineDone(buffer, next);
      }
      if (look != NearReads.Look.PASSES) {
        return;
      }
    }
    if (!bridge.connect(client, target, dialect)) {
      routing.failUnlessWaiting(command, hides == Exchange.HIDE_ALL, buffer, next);
      return;
    }
    ByteBuf refused = bridge.send(client, command, dialect, target, hides);
    client.lineDone(buffer, next);
    if (refused != null) {
      answerRefused(command, hides, refused);
    }
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
    String error = read(command, 1, version);
    refuse(
        command,
        Exchange.HIDE_NOTHING,
        error == null ? TextRequestReader.BAD_FORMAT : error,
        buffer,
        next);
  }

  private void answerRefused(Command command, int hides, ByteBuf refused) {
    if (hides == Exchange.HIDE_ALL) {
      refused.release();
      client.answer(command, Outcome.REJECTED, null);
    } else {
      client.answer(command, Outcome.REJECTED, refused);
    }
  }

  /** Reads the line into the request; returns the error line to answer with, or null. */
  String read(Command command, int token) {
    return read(command, token, listening.version());
  }

  private String read(Command command, int token, ServerVersion version) {
    if (!TextRouting.isMeta(command)) {
      return TextRequestReader.read(line, command, token, version, request);
    }
    String error = MetaRequestReader.read(line, command, version.readsLinesAsProxy(), request);
    request.leaveOut(routing.strippedToken());
    return error == null && request.isBase64 && !routing.isReadable()
        ? MetaRequestReader.badKey(command, version.readsLinesAsProxy())
        : error;
  }

  /** Whether no server could have the key; in base64 it is looked at when it is written. */
  private boolean isUnusable(KeyRewrite rewrite) {
    return routing.isUnusable(rewrite, false);
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
      Command command, Target target, ByteBuf buffer, int from, int next, int block, ByteBuf in) {
    boolean whole = buffer == in && in.writerIndex() - next >= block;
    if (whole && !endsWell(in, next + block)) {
      client.lineDone(buffer, next + block);
      badChunk(command);
      return;
    }
    KeyRewrite rewrite = routing.rewrite();
    String error = isUnusable(rewrite) ? TextRequestReader.BAD_FORMAT : read(command, 1);
    if (error != null) {
      client.lineDone(buffer, next);
      client.swallow(block, command, Outcome.REJECTED, TextErrors.line(worker.loop(), error));
      return;
    }
    routing.giveKey(request);
    bridge.prepare(target, rewrite);
    if (whole) {
      whole(command, target, buffer, next, block);
    } else if (block <= ClientConnection.GATHER_LIMIT || bridge.sender().gathers(target)) {
      client.gather(buffer, from, next, block);
    } else {
      stream(command, target, buffer, next, block);
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

  private void whole(Command command, Target target, ByteBuf buffer, int next, int block) {
    int hides = hides(command);
    Dialect dialect = TextRouting.dialect(command);
    if (!bridge.connect(client, target, dialect)) {
      routing.failUnlessWaiting(command, hides == Exchange.HIDE_ALL, buffer, next + block);
      return;
    }
    bridge.value().add(worker.loop().slice(buffer, next, block - 2));
    ByteBuf refused = bridge.send(client, command, dialect, target, hides);
    client.lineDone(buffer, next + block);
    if (refused != null) {
      answerRefused(command, hides, refused);
    }
  }

  private void stream(Command command, Target target, ByteBuf buffer, int next, int block) {
    if (!client.isAlone()) {
      return;
    }
    int hides = hides(command);
    Dialect dialect = TextRouting.dialect(command);
    ByteBuf refused =
        bridge.stream(
            client, command, dialect, RequestSender.replies(dialect), target, hides, true);
    client.lineDone(buffer, next);
    if (refused != null) {
      boolean silent = hides == Exchange.HIDE_ALL;
      if (silent) {
        refused.release();
      }
      client.swallow(block, command, Outcome.REJECTED, silent ? null : refused);
    }
  }

  /** A storage request whose line and block have been gathered. */
  void gathered(Command command, Target target) {
    if (!client.pieces().endWithLineEnd()) {
      client.gatheredDone();
      badChunk(command);
      return;
    }
    int hides = hides(command);
    read(command, 1); // has been found right before
    routing.giveKey(request);
    bridge.prepare(target, routing.rewrite());
    Dialect dialect = TextRouting.dialect(command);
    if (!bridge.connect(client, target, dialect)) {
      routing.failGatheredUnlessWaiting(command, hides);
      return;
    }
    client.pieces().moveTo(bridge.value(), 2);
    ByteBuf refused = bridge.send(client, command, dialect, target, hides);
    client.gatheredDone();
    if (refused != null) {
      answerRefused(command, hides, refused);
    }
  }

  /**
   * Deletes the item that a request would have replaced, whose value is too large.
   *
   * @return false if the request has to be tried again
   */
  boolean delete(Command command, Target target) {
    if (read(command, 1) != null) {
      return true;
    }
    routing.giveKey(request);
    bridge.prepare(target, routing.rewrite());
    return bridge.delete(client, TextRouting.dialect(command), target);
  }
}
