package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.bridge.TextRequestReader;
import sluice.codecs.memcached.text.KeyedLine;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.server.Server;
import sluice.gateway.server.TextErrors;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.names.Command;

/** Requests of one line with one key: delete, incr, decr, touch, me. */
final class TextKeyed {
  private final TextClient client;
  private final Worker worker;
  private final Listening listening;
  private final TextLine line;
  private final KeyedLine keyed;
  private final TextRouting routing;
  private final TextBridged bridged;

  TextKeyed(
      TextClient client,
      Worker worker,
      Listening listening,
      TextRouting routing,
      TextBridged bridged) {
    this.bridged = bridged;
    this.client = client;
    this.worker = worker;
    this.listening = listening;
    this.routing = routing;
    line = worker.line;
    keyed = worker.keyed;
  }

  /** A line with its key in token 1. */
  void line(Command command, Grammar grammar, ByteBuf buffer, int from, int next) {
    if (line.count() < 2 || line.length(1) > TextRouting.MAX_KEY) {
      routing.refuseWithoutKey(command, 1, buffer, from, next);
      return;
    }
    keyed.read(line, command, listening.version());
    boolean base64 = keyed.isBase64();
    Backend backend = routing.servers(command, 1, base64, buffer, from, next);
    if (backend == null) {
      return;
    }
    Pool pool = backend.plain(TextRouting.dialect(command));
    if (pool == null && backend.pool().takesAsItIs(command)) {
      pool = backend.pool();
    }
    if (pool == null) {
      bridged.line(command, 1, backend, buffer, next);
      return;
    }
    if (base64 && !routing.isReadable()) {
      client.lineDone(buffer, next);
      client.answer(
          command,
          Outcome.PROTOCOL_ERROR,
          TextErrors.line(worker.loop(), TextRequestReader.BAD_FORMAT));
      return;
    }
    if (base64 && routing.endsLines()) {
      // The server repeats the raw key: what is behind its line end would be the next one's reply.
      client.lineDone(buffer, next);
      client.answer(
          command,
          Outcome.REJECTED,
          TextErrors.line(worker.loop(), "CLIENT_ERROR the key holds a line end"));
      return;
    }
    KeyRewrite rewrite = routing.rewrite();
    if (routing.isUnusable(rewrite, base64)) {
      routing.refuseLongKey(command, buffer, next, 0);
      return;
    }
    Server server = routing.serverOf(pool, rewrite);
    if (!keyed.isCanonical() && command != Command.ME) {
      keyed.read(line, command, TextRouting.version(server)); // of me, the key would be another
    }
    if (keyed.error() != null) {
      ByteBuf reply = keyed.noreply() ? null : TextErrors.line(worker.loop(), keyed.error());
      client.lineDone(buffer, next);
      client.answer(command, Outcome.PROTOCOL_ERROR, reply);
      return;
    }
    boolean noreply = keyed.noreply();
    ServerConnection connection = client.connectionTo(server);
    if (connection == null) {
      routing.failUnlessWaiting(command, noreply, buffer, next);
      return;
    }
    if (routing.isRefusedBy(connection, command)) {
      routing.refuseFor(connection, command, noreply, buffer, next);
      return;
    }
    Exchange exchange =
        client.newExchange(command, grammar, noreply ? Exchange.HIDE_ALL : Exchange.HIDE_NOTHING);
    connection.expect(exchange);
    if (keyed.isCanonical() && rewrite == null) {
      client.forward(buffer, from, next, connection);
    } else {
      ByteBuf changed = worker.loop().buffer(TextRouting.lengthOf(rewrite, from, next));
      RequestLine.writeKeyed(keyed, command, line, 1, rewrite, changed);
      routing.send(connection, changed);
    }
    client.lineDone(buffer, next);
  }
}
