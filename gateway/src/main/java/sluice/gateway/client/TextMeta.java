package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.Command;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.MetaLine;
import sluice.codecs.memcached.text.TextLine;
import sluice.config.Dialect;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.server.ServerConnection;

/**
 * Requests of the meta protocol: mg, md and ma whole, and how the line of an ms is changed on its
 * way, its quiet flag taken out and its opaque replaced.
 */
final class TextMeta {
  private final TextClient client;
  private final Worker worker;
  private final TextLine line;
  private final TextRouting routing;
  private final MetaLine meta;
  private final TextBridged bridged;

  TextMeta(TextClient client, Worker worker, TextRouting routing, TextBridged bridged) {
    this.bridged = bridged;
    this.client = client;
    this.worker = worker;
    this.routing = routing;
    line = worker.line;
    meta = worker.meta;
  }

  void line(Command command, ByteBuf buffer, int from, int next) {
    if (line.count() < 2 || line.length(1) > TextRouting.MAX_KEY || routing.isCutByNul()) {
      routing.fenced(command, 1, buffer, from, next);
      return;
    }
    meta.read(line, 2);
    Target target = routing.servers(command, 1, meta.base64(), buffer, from, next);
    if (target == null) {
      return;
    }
    if (target.isBridged(Dialect.META)) {
      bridged.line(command, 1, target, buffer, next);
      return;
    }
    KeyRewrite rewrite = routing.rewrite();
    ServerConnection connection = client.connectionTo(routing.serverOf(target, rewrite));
    if (connection == null) {
      routing.failUnlessWaiting(command, false, buffer, next);
      return;
    }
    Exchange exchange = client.newExchange(command, Grammar.META, hides(command));
    connection.expect(exchange);
    ByteBuf changed = changed(exchange, connection, rewrite, 2, from, next);
    if (command == Command.MG && meta.isRead()) {
      if (changed == null) {
        connection.mayRepeat(exchange, buffer, from, next);
      } else {
        connection.mayRepeat(exchange, changed, 0, changed.writerIndex());
      }
    }
    if (changed == null) {
      client.forward(buffer, from, next, connection);
    } else {
      routing.send(connection, changed);
    }
    client.lineDone(buffer, next);
  }

  int hides(Command command) {
    return hides(meta, command);
  }

  /** What the quiet flag of a line that was read hides. */
  static int hides(MetaLine meta, Command command) {
    if (!meta.isClean() || meta.quiet() < 0) {
      return Exchange.HIDE_NOTHING;
    }
    return command == Command.MG ? Exchange.HIDE_MISS : Exchange.HIDE_SUCCESS;
  }

  /**
   * The meta line as the server is to see it; null if that is as it is. The caller owns the result.
   */
  ByteBuf changed(
      Exchange exchange,
      ServerConnection connection,
      KeyRewrite rewrite,
      int firstFlag,
      int from,
      int next) {
    int quiet = meta.isClean() ? meta.quiet() : -1;
    int opaqueToken = meta.isClean() ? meta.opaque() : -1;
    ServerVersion version = connection.server().status().version();
    boolean opaques =
        meta.isClean()
            && version != null
            && version.echoesOpaqueOnMiss()
            && (opaqueToken >= 0 || meta.isExtendable());
    int opaque = opaques ? connection.nextOpaque() : -1;
    boolean withoutKey = meta.base64() && meta.returnsKey() && routing.breaksLines();
    int stripped = meta.isClean() ? routing.strippedToken() : -1;
    if (quiet < 0 && opaque < 0 && rewrite == null && !withoutKey && stripped < 0) {
      return null;
    }
    if (opaque >= 0) {
      exchange.wireOpaque(opaque);
      if (opaqueToken >= 0) {
        exchange.clientOpaque(line.buffer(), line.start(opaqueToken) + 1, line.end(opaqueToken));
      }
    }
    exchange.rewrite(rewrite);
    if (withoutKey) {
      ByteBuf echo = worker.loop().buffer(line.length(1));
      exchange.echoKey(echo.writeBytes(line.buffer(), line.start(1), line.length(1)));
    }
    ByteBuf changed = worker.loop().buffer(TextRouting.lengthOf(rewrite, from, next));
    RequestLine.writeMeta(
        line,
        quiet,
        stripped,
        opaqueToken,
        opaque,
        withoutKey,
        firstFlag,
        meta.base64(),
        rewrite,
        changed);
    return changed;
  }
}
