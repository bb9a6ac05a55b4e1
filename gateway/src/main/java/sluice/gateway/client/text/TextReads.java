package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.KeyHash;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.dispatch.Admission;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Connector;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Changes;
import sluice.gateway.route.Rule;
import sluice.gateway.server.Server;
import sluice.gateway.server.TextErrors;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.names.Command;
import sluice.names.Dialect;

/** Reads of classic values, of one key or many: get, gets, gat, gats. */
final class TextReads {
  private final TextClient client;
  private final Worker worker;
  private final TextLine line;
  private final MultiGets multiGets;
  private final TextRouting routing;
  private final TextBridged bridged;
  private final Listening listening;

  TextReads(
      TextClient client,
      Worker worker,
      MultiGets multiGets,
      Listening listening,
      TextRouting routing,
      TextBridged bridged) {
    this.listening = listening;
    this.bridged = bridged;
    this.client = client;
    this.worker = worker;
    this.multiGets = multiGets;
    this.routing = routing;
    line = worker.line;
  }

  MultiGets multiGets() {
    return multiGets;
  }

  void values(Command command, int firstKey, ByteBuf buffer, int from, int next) {
    int count = line.count();
    if (count <= firstKey) {
      routing.refuseWithoutKey(command, firstKey, buffer, from, next);
      return;
    }
    for (int token = firstKey; token < count; token++) {
      if (line.length(token) > TextRouting.MAX_KEY) {
        routing.wrongRead(command, firstKey, buffer, from, next);
        return;
      }
    }
    if (routing.isTouchWithoutTime(command)) {
      routing.wrongRead(command, firstKey, buffer, from, next);
      return;
    }
    if (count > firstKey + 1) {
      manyValues(command, firstKey, buffer, from, next);
      return;
    }
    Backend backend = routing.servers(command, firstKey, false, buffer, from, next);
    if (backend == null) {
      return;
    }
    Pool target = backend.plain(Dialect.TEXT);
    if (target == null) {
      bridged.line(command, firstKey, backend, buffer, next);
      return;
    }
    KeyRewrite rewrite = routing.rewrite();
    if (routing.isUnusable(rewrite, false)) {
      routing.refuseLongKey(command, buffer, next, 0);
      return;
    }
    Server server = routing.serverOf(target, rewrite);
    ServerConnection connection = client.connectionTo(server);
    if (connection == null) {
      routing.failUnlessWaiting(command, false, buffer, next);
      return;
    }
    if (routing.isRefusedBy(connection, command)) {
      routing.refuseFor(connection, command, false, buffer, next);
      return;
    }
    Exchange exchange = client.newExchange(command, Grammar.VALUES, Exchange.HIDE_NOTHING);
    if (joins(command, connection)) {
      ask(connection, exchange, firstKey, rewrite);
      client.lineDone(buffer, next);
      return;
    }
    connection.expect(exchange);
    if (rewrite == null && isCanonical(firstKey) && mayPass(command, from, next)) {
      exchange.sent().addKey(KeyHash.of(line.buffer(), line.start(firstKey), line.end(firstKey)));
      connection.mayRepeat(exchange, buffer, from, next);
      client.forward(buffer, from, next, connection);
    } else {
      exchange.rewrite(rewrite);
      ByteBuf changed = worker.loop().buffer(TextRouting.lengthOf(rewrite, from, next));
      RequestLine.writeRead(worker.keyed, command, line, firstKey, rewrite, changed);
      exchange.sent().addKey(hashOfLastToken(changed));
      connection.mayRepeat(exchange, changed, 0, changed.writerIndex());
      routing.send(connection, changed);
    }
    client.lineDone(buffer, next);
  }

  /** Whether the line may be forwarded as it is. The exptime of one that has it was read. */
  private boolean isCanonical(int firstKey) {
    return firstKey == 1 ? line.isRegular() : worker.keyed.isCanonical();
  }

  /** Whether a line [from, next) may be sent as it is: servers close connections for long ones. */
  private static boolean mayPass(Command command, int from, int next) {
    return next - from <= RequestLine.MAX_LINE || command == Command.GET || command == Command.GETS;
  }

  private static boolean joins(Command command, ServerConnection server) {
    return (command == Command.GET || command == Command.GETS) && server.joinsReads();
  }

  private void ask(ServerConnection server, Exchange exchange, int token, KeyRewrite rewrite) {
    ByteBuf key = line.buffer();
    int from = line.start(token);
    int to = line.end(token);
    if (rewrite != null) {
      exchange.rewrite(rewrite);
      ByteBuf renamed = worker.renamed().clear();
      rewrite.toServer(key, from, to, renamed);
      key = renamed;
      from = 0;
      to = renamed.writerIndex();
    }
    exchange.sent().addKey(KeyHash.of(key, from, to));
    client.flushRun();
    server.ask(exchange, key, from, to);
  }

  /** The hash of the last token of a line that was written anew. It may hold a CR. */
  private static long hashOfLastToken(ByteBuf written) {
    int to = written.writerIndex() - 2;
    return KeyHash.of(written, written.indexOf(to, 0, (byte) ' ') + 1, to);
  }

  private void manyValues(Command command, int firstKey, ByteBuf buffer, int from, int next) {
    if (client.lacksMemory()) {
      return;
    }
    if (!line.isWhole()) {
      longRead(command, firstKey, buffer, from, next);
      return;
    }
    if (routing.refusedAsMany(command, firstKey, buffer, next)) {
      return;
    }
    MultiGet split = multiGets.take().of(command, line.start(firstKey) - line.start(0));
    for (int token = firstKey; token < line.count(); token++) {
      if (split.isFull()) {
        split.recycle();
        longRead(command, firstKey, buffer, from, next);
        return;
      }
      if (isRefused(command, token, buffer, next)) {
        split.recycle();
        return;
      }
      switch (planOne(split, command, token, client)) {
        case WAITS -> {
          split.recycle();
          return;
        }
        case WRONG -> {
          String error = bridged.errorIn(command, token);
          split.recycle();
          client.lineDone(buffer, next);
          client.answer(command, Outcome.PROTOCOL_ERROR, TextErrors.line(worker.loop(), error));
          return;
        }
        case ADDED -> {}
      }
    }
    if (split.isWhole() && mayPass(command, from, next)) {
      Server server = split.server(0);
      ServerConnection connection = client.connectionTo(server);
      split.recycle();
      if (connection == null) {
        routing.failUnlessWaiting(command, false, buffer, next);
        return;
      }
      if (routing.isRefusedBy(connection, command)) {
        routing.refuseFor(connection, command, false, buffer, next);
        return;
      }
      Exchange exchange = client.newExchange(command, Grammar.VALUES, Exchange.HIDE_NOTHING);
      connection.expect(exchange);
      for (int token = firstKey; token < line.count(); token++) {
        exchange.sent().addKey(KeyHash.of(buffer, line.start(token), line.end(token)));
      }
      if (isCanonical(firstKey)) {
        connection.mayRepeat(exchange, buffer, from, next);
        client.forward(buffer, from, next, connection);
      } else {
        ByteBuf changed = worker.loop().buffer(next - from + TextRouting.SPARE);
        RequestLine.writeRead(worker.keyed, command, line, firstKey, changed);
        connection.mayRepeat(exchange, changed, 0, changed.writerIndex());
        routing.send(connection, changed);
      }
      client.lineDone(buffer, next);
      return;
    }
    for (int part = 0; part < split.parts(); part++) {
      ServerConnection connection = split.connection(part);
      if (split.needsConnection(part)) {
        connection = client.connectionTo(split.server(part));
        if (connection == null && client.failure() == null) {
          split.recycle();
          return;
        }
        split.connect(part, connection, client.failure());
      }
      if (connection != null && routing.isRefusedBy(connection, command)) {
        split.recycle();
        routing.refuseFor(connection, command, false, buffer, next);
        return;
      }
    }
    Exchange whole = client.newExchange(command, Grammar.VALUES, Exchange.HIDE_NOTHING);
    client.flushRun();
    int asked = split.begin(client, whole, line, firstKey, whole.started());
    LongGet rest =
        firstKey + asked < line.count()
            ? rest(command, firstKey, whole, line.start(firstKey + asked))
            : null;
    split.send(line, firstKey, rest);
    client.lineDone(buffer, next);
  }

  /** Whether the process behind connection does not know the command. */
  boolean isRefusedBy(ServerConnection connection, Command command) {
    return routing.isRefusedBy(connection, command);
  }

  /** Whether the rule for the key in a token refuses it, and has answered. */
  private boolean isRefused(Command command, int token, ByteBuf buffer, int next) {
    Rule rule = routing.rule(command, token, false);
    if (rule == null || rule.reject() != null) {
      routing.refused(rule, command, buffer, next, 0);
      return true;
    }
    KeyRewrite rewrite = routing.rewrite();
    if (routing.isUnusable(rewrite, false)) {
      routing.refuseLongKey(command, buffer, next, 0);
      return true;
    }
    return false;
  }

  /** What becomes of one key. */
  private enum Planned {
    ADDED,
    /** Another request reads the same. */
    WAITS,
    /** The line is none in the servers' dialect. */
    WRONG
  }

  /**
   * Plans to ask for the key whose rule was looked for last.
   *
   * @param connector finds the connections of requests for one key
   */
  private Planned planOne(MultiGet split, Command command, int token, Connector connector) {
    KeyRewrite rewrite = routing.rewrite();
    Backend backend = routing.backendOfOne(command);
    Pool pool = backend.pool();
    int length = line.length(token);
    if (backend.plain(Dialect.TEXT) == null) {
      if (connector == client && bridged.errorIn(command, token) != null) {
        return Planned.WRONG; // else it was right when the line was looked at first
      }
      split.takes(rewrite == null ? length : rewrite.serverLength(length));
      return planApart(split, command, token, backend, rewrite, connector);
    }
    split.takes(rewrite == null ? length : rewrite.serverLength(length));
    Server server = pool.embedded() != null ? null : routing.serverOf(pool, rewrite);
    split.add(pool, server, rewrite, server != null && server.status().isAskedApart());
    return Planned.ADDED;
  }

  /** Plans to ask for a key in a request of its own, in canonical form. */
  private Planned planApart(
      MultiGet split,
      Command command,
      int token,
      Backend backend,
      KeyRewrite rewrite,
      Connector connector) {
    RequestContext context = bridged.oneOfMany(command, token, backend, rewrite, connector);
    Admission admission = backend.prepare(context);
    if (admission == Admission.WAITS) {
      bridged.give(context);
      return Planned.WAITS;
    }
    if (admission == Admission.ANSWERED) {
      split.add(backend.pool(), context.takeAnswer());
      bridged.give(context);
      return Planned.ADDED;
    }
    split.add(backend, context);
    return Planned.ADDED;
  }

  /**
   * Plans to ask for keys of the line, which all pass, from the first on; for as many as are asked
   * for at once.
   *
   * @param connector finds the connections of requests for one key
   * @return how many; -1 if it has to wait
   */
  int plan(MultiGet split, Command command, int firstKey, Connector connector) {
    split.of(command, line.end(firstKey - 1) - line.start(0));
    int token = firstKey;
    boolean waits = false;
    for (; token < line.count() && !split.isFull() && !waits; token++) {
      routing.rule(command, token, false);
      waits = planOne(split, command, token, connector) == Planned.WAITS;
    }
    client.changes(null, 0); // the whole is known to change them
    return waits ? -1 : token - firstKey;
  }

  // --- of more keys than are asked for at once ------------------------------------------------

  /** A line [from, next) of buffer, of which {@code line} may show the first tokens. */
  private void longRead(Command command, int firstKey, ByteBuf buffer, int from, int next) {
    if (line.hasNul()) { // some of its servers may end it there
      routing.refuseLongKey(command, buffer, next, 0);
      return;
    }
    int end = line.lineEnd();
    int prefix = line.end(firstKey - 1);
    int first = line.start(firstKey);
    for (int at = first; at < end; ) {
      line.wrap(buffer, from, prefix);
      at = line.readOn(at, end, TextLine.MOST_TOKENS);
      for (int token = firstKey; token < line.count(); token++) {
        if (line.length(token) > TextRouting.MAX_KEY) {
          line.wrap(buffer, from, end);
          routing.wrongRead(command, firstKey, buffer, from, next);
          return;
        }
      }
    }
    if (!client.isAdmitted() && listening.countsRequests()) {
      for (int at = first; at < end; ) {
        line.wrap(buffer, from, prefix);
        at = line.readOn(at, end, TextLine.MOST_TOKENS);
        routing.wantMany(command, firstKey);
      }
      if (routing.refusedAsWanted(command, buffer, next)) {
        return;
      }
    }
    boolean changes = false;
    for (int at = first; at < end; ) {
      line.wrap(buffer, from, prefix);
      at = line.readOn(at, end, TextLine.MOST_TOKENS);
      for (int token = firstKey; token < line.count(); token++) {
        if (isRefused(command, token, buffer, next)) {
          return;
        }
        changes |= routing.changesNear(command);
      }
    }
    client.changes(changes ? listening.allChanges() : null, Changes.SEVERAL);
    Exchange whole = client.newExchange(command, Grammar.VALUES, Exchange.HIDE_NOTHING);
    client.flushRun();
    line.wrap(buffer, from, prefix).readOn(first, end, firstKey + 1);
    rest(command, firstKey, whole, first).start();
    client.lineDone(buffer, next);
  }

  /** What asks for the line's keys from an index on. */
  private LongGet rest(Command command, int firstKey, Exchange whole, int at) {
    int from = line.start(0);
    ByteBuf kept = worker.loop().slice(line.buffer(), from, line.lineEnd() - from);
    return new LongGet(
        client, this, command, firstKey, whole, kept, line.end(firstKey - 1) - from, at - from);
  }
}
