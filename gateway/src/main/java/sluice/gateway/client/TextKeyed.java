package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.Command;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.server.ServerConnection;
import sluice.gateway.server.TextErrors;

/** Requests of one line with one key: delete, incr, decr, touch, me. */
final class TextKeyed {
  private final TextClient client;
  private final Worker worker;
  private final TextLine line;
  private final TextRouting routing;
  private final TextBridged bridged;

  TextKeyed(TextClient client, Worker worker, TextRouting routing, TextBridged bridged) {
    this.bridged = bridged;
    this.client = client;
    this.worker = worker;
    this.routing = routing;
    line = worker.line;
  }

  /** A line with its key in token 1, and {@code wanted} tokens at least. */
  void line(Command command, Grammar grammar, int wanted, ByteBuf buffer, int from, int next) {
    if (line.count() < 2 || line.length(1) > TextRouting.MAX_KEY || routing.isCutByNul()) {
      routing.fenced(command, 1, buffer, from, next);
      return;
    }
    boolean base64 = command == Command.ME && hasBase64Key();
    Target target = routing.servers(command, 1, base64, buffer, from, next);
    if (target == null) {
      return;
    }
    if (target.isBridged(TextRouting.dialect(command)) && !target.takesAsItIs(command)) {
      bridged.line(command, 1, target, buffer, next);
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
    int last = line.count() - 1;
    boolean noreply =
        command != Command.ME
            && last >= Math.min(wanted, 2)
            && last >= 2
            && line.is(last, "noreply");
    KeyRewrite rewrite = routing.rewrite();
    if (rewrite != null && rewrite.serverLength(line.length(1)) > TextRouting.MAX_KEY) {
      routing.refuseLongKey(command, buffer, next, 0);
      return;
    }
    ServerConnection connection = client.connectionTo(routing.serverOf(target, rewrite));
    if (connection == null) {
      routing.failUnlessWaiting(command, noreply, buffer, next);
      return;
    }
    Exchange exchange =
        client.newExchange(command, grammar, noreply ? Exchange.HIDE_ALL : Exchange.HIDE_NOTHING);
    connection.expect(exchange);
    if (!noreply && rewrite == null) {
      client.forward(buffer, from, next, connection);
    } else {
      ByteBuf changed = worker.loop().buffer(TextRouting.lengthOf(rewrite, from, next));
      RequestLine.write(line, noreply ? last : -1, 1, base64, rewrite, changed);
      routing.send(connection, changed);
    }
    client.lineDone(buffer, next);
  }

  /** From memcached 1.6.40 on, a b that is the only flag of {@code me} is not looked at. */
  private boolean hasBase64Key() {
    return line.count() >= (routing.readsLinesAsProxy() ? 4 : 3) && line.is(2, "b");
  }
}
