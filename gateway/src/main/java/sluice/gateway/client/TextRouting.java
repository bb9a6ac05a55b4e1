package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.Command;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.Base64Key;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextLine;
import sluice.config.Dialect;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.route.Rule;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerConnection;
import sluice.gateway.server.TextErrors;

/**
 * What all requests of the text protocol have in common, whatever their command: the rule for a key
 * and its server, the ways to be refused or to fail, the store of this process, the fence.
 *
 * <p>Knows the key that it was last asked about, until the next call of {@link #rule}.
 */
final class TextRouting {
  static final int MAX_KEY = StorageLine.MAX_KEY;

  private final TextClient client;
  private final Worker worker;
  private final Listening listening;
  private final TextLine line;
  private Rule rule;
  private ByteBuf key;
  private int keyFrom;
  private int keyTo;

  TextRouting(TextClient client, Worker worker, Listening listening) {
    this.client = client;
    this.worker = worker;
    this.listening = listening;
    line = worker.line;
  }

  // --- which way ----------------------------------------------------------------------------

  private static boolean isMeta(Command command) {
    return switch (command) {
      case MG, MS, MD, MA, MN, ME -> true;
      default -> false;
    };
  }

  /** The rule for the key in a token; its key is the one of the calls that follow. */
  Rule rule(Command command, int token, boolean base64) {
    key = line.buffer();
    keyFrom = line.start(token);
    keyTo = line.end(token);
    if (base64 && Base64Key.isValid(key, keyFrom, keyTo)) {
      ByteBuf raw = worker.scratch();
      Base64Key.decode(key, keyFrom, keyTo, raw);
      key = raw;
      keyFrom = 0;
      keyTo = raw.writerIndex();
    }
    Dialect dialect = isMeta(command) ? Dialect.META : Dialect.TEXT;
    rule = listening.route().find(command, dialect, key, keyFrom, keyTo);
    return rule;
  }

  /**
   * The pool of servers for the key in a token; null if the request has been answered: refused by
   * its rule, or executed by the store of this process.
   */
  Target servers(Command command, int token, boolean base64, ByteBuf buffer, int from, int next) {
    if (refused(rule(command, token, base64), command, buffer, next, 0)) {
      return null;
    }
    Target target = listening.target(rule.pool());
    if (target.embedded() != null) {
      execute(command, target, buffer, from, next);
      return null;
    }
    return target;
  }

  Server serverOf(Target target, KeyRewrite rewrite) {
    if (target.size() == 1) {
      return target.text(0);
    }
    if (rewrite == null) {
      return target.text(target.serverOf(key, keyFrom, keyTo));
    }
    ByteBuf renamed = worker.loop().buffer(rewrite.serverLength(keyTo - keyFrom));
    try {
      rewrite.toServer(key, keyFrom, keyTo, renamed);
      return target.text(target.serverOf(renamed, 0, renamed.writerIndex()));
    } finally {
      renamed.release();
    }
  }

  /** How the rule renames the key, or null if it does not. */
  KeyRewrite rewrite() {
    KeyRewrite rewrite = rule.rewrite();
    return rewrite != null && rewrite.fits(key, keyFrom, keyTo) ? rewrite : null;
  }

  /** Bytes of the key, as the rules saw it. */
  int keyLength() {
    return keyTo - keyFrom;
  }

  /**
   * Whether the raw key, which the server may repeat, would end the line or look like an opaque.
   */
  boolean breaksLines() {
    for (int i = keyFrom; i < keyTo; i++) {
      int b = key.getUnsignedByte(i);
      if (b == '\n' || (b == ' ' && i + 1 < keyTo && key.getByte(i + 1) == 'O')) {
        return true;
      }
    }
    return false;
  }

  /** A server before 1.6.40 does not see what is behind a NUL. */
  boolean isCutByNul() {
    return line.hasNul() && !listening.version().readsLinesAsProxy();
  }

  // --- nowhere ------------------------------------------------------------------------------

  /** Answers for a rule that sends the request nowhere; returns whether it did. */
  boolean refused(Rule rule, Command command, ByteBuf buffer, int next, int block) {
    String reason;
    if (rule == null) {
      reason = "no rule of route " + listening.route().name() + " takes this request";
    } else if (rule.reject() != null) {
      reason = rule.reject();
    } else {
      return false;
    }
    client.lineDone(buffer, next);
    client.swallow(block, command, Outcome.REJECTED, TextErrors.serverError(worker.loop(), reason));
    return true;
  }

  void refuseLongKey(Command command, ByteBuf buffer, int next, int block) {
    client.lineDone(buffer, next);
    client.swallow(
        block,
        command,
        Outcome.REJECTED,
        TextErrors.line(worker.loop(), "CLIENT_ERROR bad command line format"));
  }

  /** No connection: the request fails, or is looked at again later. */
  void failUnlessWaiting(Command command, boolean noreply, ByteBuf buffer, int next) {
    if (client.failure == null) {
      return;
    }
    String reason = client.failure;
    client.lineDone(buffer, next);
    Exchange exchange =
        client.newExchange(
            command, Grammar.LINE, noreply ? Exchange.HIDE_ALL : Exchange.HIDE_NOTHING);
    client.fail(exchange, reason);
  }

  // --- there --------------------------------------------------------------------------------

  void send(ServerConnection connection, ByteBuf bytes) {
    client.flushRun();
    connection.write(bytes);
  }

  static int lengthOf(KeyRewrite rewrite, int from, int next) {
    return next - from + 48 + (rewrite == null ? 0 : 2 * rewrite.mostAdded());
  }

  /** The store of this process executes the whole request [from, next) of buffer. */
  void execute(Command command, Target target, ByteBuf buffer, int from, int next) {
    ByteBuf reply = worker.loop().buffer(256);
    boolean close = target.embedded().text(buffer, from, next, reply);
    client.lineDone(buffer, next);
    finishEmbedded(command, reply, close);
  }

  void finishEmbedded(Command command, ByteBuf reply, boolean close) {
    client.answer(command, EmbeddedOutcome.ofText(reply), reply);
    if (close) {
      client.end();
    }
  }

  /**
   * A line that this gateway does not read as the server will: it goes as it is, with a fence
   * behind it, and whatever comes before the fence is its reply.
   */
  void fenced(Command command, ByteBuf buffer, int from, int next) {
    Target target = listening.firstTarget();
    Rule rule = line.count() > 1 ? rule(command, 1, false) : null;
    if (rule != null && rule.pool() >= 0) {
      target = listening.target(rule.pool());
    }
    if (target == null) {
      refused(null, command, buffer, next, 0);
      return;
    }
    if (target.embedded() != null) {
      execute(command, target, buffer, from, next);
      return;
    }
    Server server = target.text(0);
    ServerConnection connection = client.connectionTo(server);
    if (connection == null) {
      failUnlessWaiting(command, false, buffer, next);
      return;
    }
    ServerVersion version = server.status().version();
    if (version == null || !version.speaksMeta()) {
      client.lineDone(buffer, next);
      client.answer(command, Outcome.PROTOCOL_ERROR, TextErrors.line(worker.loop(), "ERROR"));
      return;
    }
    Exchange exchange = client.newExchange(command, Grammar.FENCED, Exchange.HIDE_NOTHING);
    connection.expect(exchange);
    ByteBuf bytes = worker.loop().buffer(next - from + 4);
    bytes.writeBytes(buffer, from, next - from);
    send(connection, bytes.writeInt('m' << 24 | 'n' << 16 | '\r' << 8 | '\n'));
    client.lineDone(buffer, next);
  }
}
