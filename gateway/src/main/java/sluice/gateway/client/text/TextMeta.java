package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.text.Base64Key;
import sluice.codecs.memcached.text.MetaLine;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Requests of the meta protocol: mg, md and ma whole, and how the line of an ms is changed on its
 * way, its quiet flag taken out and its opaque replaced.
 */
final class TextMeta {
  /** Bytes of an opaque of this gateway's, with the space before it. */
  private static final int LONGEST_OPAQUE = 12;

  /** A longer line gets no opaque: memcached closes a connection on which it is over the limit. */
  private static final int MAX_EXTENDED = RequestLine.MAX_LINE - LONGEST_OPAQUE;

  private final TextClient client;
  private final Worker worker;
  private final TextLine line;
  private final TextRouting routing;
  private final MetaLine meta;
  private final TextBridged bridged;

  // Tokens and what else is changed in the line that was looked at last; -1: none.
  private int quiet;
  private int opaqueToken;
  private int opaque;
  private int stripped;
  private boolean withoutKey;
  private boolean keyAnew;

  TextMeta(TextClient client, Worker worker, TextRouting routing, TextBridged bridged) {
    this.bridged = bridged;
    this.client = client;
    this.worker = worker;
    this.routing = routing;
    line = worker.line;
    meta = worker.meta;
  }

  void line(Command command, ByteBuf buffer, int from, int next) {
    if (line.count() < 2 || line.length(1) > TextRouting.MAX_KEY) {
      routing.refuseWithoutKey(command, 1, buffer, from, next);
      return;
    }
    meta.read(line, 2);
    Backend backend = routing.servers(command, 1, meta.base64(), buffer, from, next);
    if (backend == null) {
      return;
    }
    Pool pool = backend.plain(Dialect.META);
    if (pool == null) {
      bridged.line(command, 1, backend, buffer, next);
      return;
    }
    KeyRewrite rewrite = routing.rewrite();
    Server server = routing.serverOf(pool, rewrite);
    if (!meta.isClean() || (meta.base64() && !routing.isReadable())) {
      bridged.refuse(command, TextRouting.version(server), buffer, next);
      return;
    }
    if (routing.isUnusable(rewrite, meta.base64()) || isTooLong(rewrite)) {
      routing.refuseLongKey(command, buffer, next, 0);
      return;
    }
    ServerConnection connection = client.connectionTo(server);
    if (connection == null) {
      routing.failUnlessWaiting(command, false, buffer, next);
      return;
    }
    if (routing.isRefusedBy(connection, command)) {
      routing.refuseFor(connection, command, false, buffer, next);
      return;
    }
    Exchange exchange = client.newExchange(command, Grammar.META, hides(command));
    connection.expect(exchange);
    boolean repeats = command == Command.MG && meta.isRead();
    if (changes(exchange, connection, rewrite)) {
      ByteBuf changed = worker.changed();
      write(rewrite, -1, changed);
      if (repeats) {
        connection.mayRepeat(exchange, changed, 0, changed.writerIndex());
      }
      client.flushRun();
      connection.writeCopy(changed, 0, changed.writerIndex());
    } else {
      if (repeats) {
        connection.mayRepeat(exchange, buffer, from, next);
      }
      client.forward(buffer, from, next, connection);
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

  /** Whether the line, which its client's limits let pass, is not to be sent with another key. */
  boolean isTooLong(KeyRewrite rewrite) {
    return rewrite != null && lineLength() + 2 * rewrite.mostAdded() > RequestLine.MAX_LINE;
  }

  private int lineLength() {
    return line.end(line.count() - 1) - line.start(0) + 2;
  }

  /**
   * Whether the server is to see another line than the one that was read, which {@link #write} then
   * writes; exchange knows afterwards what is to be changed back.
   */
  boolean changes(Exchange exchange, ServerConnection connection, KeyRewrite rewrite) {
    boolean fits = (meta.opaque() >= 0 || meta.isExtendable()) && lineLength() <= MAX_EXTENDED;
    boolean addressed = fits && connection.version().echoesOpaqueOnMiss();
    return changes(exchange, addressed ? connection.nextOpaque() : -1, rewrite);
  }

  /**
   * As the other, of a line for a connection that no other client uses meanwhile: the client's
   * opaque stays.
   */
  boolean changes(Exchange exchange, KeyRewrite rewrite) {
    return changes(exchange, -1, rewrite);
  }

  private boolean changes(Exchange exchange, int wireOpaque, KeyRewrite rewrite) {
    quiet = meta.quiet();
    opaqueToken = meta.opaque();
    opaque = wireOpaque;
    withoutKey = meta.base64() && meta.returnsKey() && routing.breaksLines();
    stripped = routing.strippedToken();
    keyAnew =
        rewrite != null
            || (meta.base64() && !Base64Key.isValid(line.buffer(), line.start(1), line.end(1)));
    if (quiet < 0 && opaque < 0 && !keyAnew && !withoutKey && stripped < 0 && line.isRegular()) {
      return false;
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
    return true;
  }

  /**
   * Appends the line that {@link #changes} was asked about as the server is to see it.
   *
   * @param dataLength of an ms; -1 of any other
   */
  void write(KeyRewrite rewrite, int dataLength, ByteBuf out) {
    RequestLine.writeMeta(
        line,
        quiet,
        stripped,
        opaqueToken,
        opaque,
        withoutKey,
        dataLength,
        meta.base64(),
        keyAnew,
        rewrite,
        out);
  }
}
