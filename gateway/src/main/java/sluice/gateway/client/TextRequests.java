package sluice.gateway.client;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.KeyHash;
import sluice.codecs.memcached.Command;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.Base64Key;
import sluice.codecs.memcached.text.MetaLine;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextCommands;
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
 * What becomes of one request of the text protocol: answered here, or sent on and in which form.
 *
 * <p>A method that has to wait for a server leaves everything as it is: it is called again with the
 * same request.
 */
final class TextRequests {
  private static final int MAX_KEY = StorageLine.MAX_KEY;

  /** A longer line closes the connection, unless it is a get; here as there. */
  private static final int MAX_LINE = 2048;

  /** Below this a value is copied behind its changed line: one piece instead of two. */
  private static final int COPY_BELOW = 1024;

  private final TextClient client;
  private final Worker worker;
  private final Listening listening;
  private final TextLine line;
  private final StorageLine storage;
  private final MetaLine meta;
  private final TextOperations operations;
  private final boolean classic;
  private final boolean metas;

  TextRequests(TextClient client, Worker worker, Listening listening) {
    this.client = client;
    this.worker = worker;
    this.listening = listening;
    line = worker.line;
    storage = worker.storage;
    meta = worker.meta;
    operations = new TextOperations(client, worker, listening);
    classic = listening.takes(Dialect.TEXT);
    metas = listening.takes(Dialect.META);
  }

  // --- lines --------------------------------------------------------------------------------

  /**
   * A line [from, next), its line end included, in buffer, which is in or what the client keeps;
   * its data block, if it has one, follows in in as far as it has arrived. Borrows both.
   */
  void line(ByteBuf buffer, int from, int next, ByteBuf in) {
    Command command = read(buffer, from, next);
    if (next - from > MAX_LINE && command != Command.GET && command != Command.GETS) {
      client.lineDone(buffer, next);
      client.end(); // as memcached does: without a word
      return;
    }
    switch (command) {
      case GET, GETS -> values(command, 1, buffer, from, next);
      case GAT, GATS -> values(command, 2, buffer, from, next);
      case SET, ADD, REPLACE, APPEND, PREPEND, CAS, MS -> storage(command, buffer, from, next, in);
      case MG, MD, MA -> metaLine(command, buffer, from, next);
      case ME -> keyed(command, Grammar.LINE, 2, buffer, from, next);
      case DELETE -> keyed(command, Grammar.DELETED, 2, buffer, from, next);
      case INCR, DECR -> keyed(command, Grammar.NUMBER, 3, buffer, from, next);
      case TOUCH -> keyed(command, Grammar.TOUCHED, 3, buffer, from, next);
      case MN -> {
        client.lineDone(buffer, next);
        client.answer(Command.MN, Outcome.OK, TextErrors.line(worker.loop(), "MN"));
      }
      case QUIT -> {
        client.lineDone(buffer, next);
        client.end();
      }
      case UNKNOWN -> unknown(buffer, from, next);
      default -> operations.keyless(command, line, buffer, from, next, in);
    }
  }

  private Command read(ByteBuf buffer, int from, int next) {
    int to = next - 1;
    if (to - from > 1 && buffer.getByte(to - 1) == '\r') {
      to--;
    }
    line.wrap(buffer, from, to);
    Command command = TextCommands.of(line);
    if (command == Command.UNKNOWN
        || (buffer.getByte(from) == ' ' && listening.version().readsLinesAsProxy())) {
      return Command.UNKNOWN;
    }
    boolean known =
        switch (command) {
          case MG, MS, MD, MA, MN, ME -> metas;
          case QUIT, VERSION -> true;
          default -> classic;
        };
    return known ? command : Command.UNKNOWN;
  }

  private void unknown(ByteBuf buffer, int from, int next) {
    Target target = listening.firstTarget();
    if (target != null && target.embedded() != null) {
      execute(Command.UNKNOWN, target, buffer, from, next);
      return;
    }
    int last = line.count() - 1;
    if (last > 0 && isHttp(line, last)) {
      client.lineDone(buffer, next);
      client.end(); // as memcached does: a browser was led here
      return;
    }
    int length = next - from - (next - from > 1 && buffer.getByte(next - 2) == '\r' ? 2 : 1);
    String reply = "ERROR";
    if (listening.version().readsLinesAsProxy()) {
      if (length < 2) {
        reply = "CLIENT_ERROR bad command line format";
      } else if (last > 0 && line.is(last, "noreply")) {
        reply = null;
      }
    }
    client.lineDone(buffer, next);
    client.answer(
        Command.UNKNOWN,
        Outcome.PROTOCOL_ERROR,
        reply == null ? null : TextErrors.line(worker.loop(), reply));
  }

  private static boolean isHttp(TextLine line, int token) {
    return line.length(token) >= 5
        && line.buffer().getByte(line.start(token)) == 'H'
        && line.string(token).startsWith("HTTP/");
  }

  // --- routing ------------------------------------------------------------------------------

  private boolean isMeta(Command command) {
    return switch (command) {
      case MG, MS, MD, MA, MN, ME -> true;
      default -> false;
    };
  }

  /** The rule for the key in a token; the key is left in {@link #key}. */
  private Rule rule(Command command, int token, boolean base64) {
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
    return listening.route().find(command, dialect, key, keyFrom, keyTo);
  }

  private ByteBuf key;
  private int keyFrom;
  private int keyTo;

  private Server serverOf(Target target, KeyRewrite rewrite) {
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

  private KeyRewrite rewriteOf(Rule rule) {
    KeyRewrite rewrite = rule.rewrite();
    return rewrite != null && rewrite.fits(key, keyFrom, keyTo) ? rewrite : null;
  }

  /** Answers for a rule that sends the request nowhere; returns whether it did. */
  private boolean refused(Rule rule, Command command, ByteBuf buffer, int next, int block) {
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

  // --- one key, one line --------------------------------------------------------------------

  /** A line with its key in token 1, and {@code wanted} tokens at least. */
  private void keyed(
      Command command, Grammar grammar, int wanted, ByteBuf buffer, int from, int next) {
    if (line.count() < 2 || line.length(1) > MAX_KEY || isCutByNul()) {
      fenced(command, buffer, from, next);
      return;
    }
    Rule rule = rule(command, 1, false);
    if (refused(rule, command, buffer, next, 0)) {
      return;
    }
    Target target = listening.target(rule.pool());
    if (target.embedded() != null) {
      execute(command, target, buffer, from, next);
      return;
    }
    int last = line.count() - 1;
    boolean noreply =
        command != Command.ME
            && last >= Math.min(wanted, 2)
            && last >= 2
            && line.is(last, "noreply");
    KeyRewrite rewrite = rewriteOf(rule);
    if (rewrite != null && rewrite.serverLength(line.length(1)) > MAX_KEY) {
      refuseLongKey(command, buffer, next, 0);
      return;
    }
    ServerConnection connection = client.connectionTo(serverOf(target, rewrite));
    if (connection == null) {
      failUnlessWaiting(command, noreply, buffer, next);
      return;
    }
    Exchange exchange =
        client.newExchange(command, grammar, noreply ? Exchange.HIDE_ALL : Exchange.HIDE_NOTHING);
    connection.expect(exchange);
    if (!noreply && rewrite == null) {
      client.forward(buffer, from, next, connection);
    } else {
      ByteBuf changed = worker.loop().buffer(lengthOf(rewrite, from, next));
      RequestLine.write(line, noreply ? last : -1, 1, false, rewrite, changed);
      send(connection, changed);
    }
    client.lineDone(buffer, next);
  }

  private static int lengthOf(KeyRewrite rewrite, int from, int next) {
    return next - from + 48 + (rewrite == null ? 0 : 2 * rewrite.mostAdded());
  }

  /** A server before 1.6.40 does not see what is behind a NUL. */
  private boolean isCutByNul() {
    return line.hasNul() && !listening.version().readsLinesAsProxy();
  }

  private void refuseLongKey(Command command, ByteBuf buffer, int next, int block) {
    client.lineDone(buffer, next);
    client.swallow(
        block,
        command,
        Outcome.REJECTED,
        TextErrors.line(worker.loop(), "CLIENT_ERROR bad command line format"));
  }

  /** No connection: the request fails, or is looked at again later. */
  private void failUnlessWaiting(Command command, boolean noreply, ByteBuf buffer, int next) {
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

  private void send(ServerConnection connection, ByteBuf bytes) {
    client.flushRun();
    connection.write(bytes);
  }

  /** The store of this process executes the whole request [from, next) of buffer. */
  private void execute(Command command, Target target, ByteBuf buffer, int from, int next) {
    ByteBuf reply = worker.loop().buffer(256);
    boolean close = target.embedded().text(buffer, from, next, reply);
    client.lineDone(buffer, next);
    finishEmbedded(command, reply, close);
  }

  private void finishEmbedded(Command command, ByteBuf reply, boolean close) {
    client.answer(command, EmbeddedOutcome.ofText(reply), reply);
    if (close) {
      client.end();
    }
  }

  /**
   * A line that this gateway does not read as the server will: it goes as it is, with a fence
   * behind it, and whatever comes before the fence is its reply.
   */
  private void fenced(Command command, ByteBuf buffer, int from, int next) {
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

  // --- reads of classic values --------------------------------------------------------------

  private void values(Command command, int firstKey, ByteBuf buffer, int from, int next) {
    int count = line.count();
    if (count <= firstKey || isCutByNul()) {
      fenced(command, buffer, from, next);
      return;
    }
    for (int token = firstKey; token < count; token++) {
      if (line.length(token) > MAX_KEY) {
        fenced(command, buffer, from, next);
        return;
      }
    }
    if (count > firstKey + 1) {
      manyValues(command, firstKey, buffer, from, next);
      return;
    }
    Rule rule = rule(command, firstKey, false);
    if (refused(rule, command, buffer, next, 0)) {
      return;
    }
    Target target = listening.target(rule.pool());
    if (target.embedded() != null) {
      execute(command, target, buffer, from, next);
      return;
    }
    KeyRewrite rewrite = rewriteOf(rule);
    if (rewrite != null && rewrite.serverLength(line.length(firstKey)) > MAX_KEY) {
      refuseLongKey(command, buffer, next, 0);
      return;
    }
    ServerConnection connection = client.connectionTo(serverOf(target, rewrite));
    if (connection == null) {
      failUnlessWaiting(command, false, buffer, next);
      return;
    }
    Exchange exchange = client.newExchange(command, Grammar.VALUES, Exchange.HIDE_NOTHING);
    connection.expect(exchange);
    if (rewrite == null) {
      exchange.addKey(KeyHash.of(line.buffer(), line.start(firstKey), line.end(firstKey)));
      client.forward(buffer, from, next, connection);
    } else {
      exchange.rewrite(rewrite);
      ByteBuf changed = worker.loop().buffer(lengthOf(rewrite, from, next));
      RequestLine.write(line, -1, firstKey, false, rewrite, changed);
      exchange.addKey(hashOfToken(changed, firstKey));
      send(connection, changed);
    }
    client.lineDone(buffer, next);
  }

  /** The hash of a token of a line that was written anew, with single spaces. */
  private static long hashOfToken(ByteBuf written, int token) {
    int from = 0;
    for (int i = 0; i < token; i++) {
      from = written.indexOf(from, written.writerIndex(), (byte) ' ') + 1;
    }
    int to = from;
    while (written.getByte(to) != ' ' && written.getByte(to) != '\r') {
      to++;
    }
    return KeyHash.of(written, from, to);
  }

  private void manyValues(Command command, int firstKey, ByteBuf buffer, int from, int next) {
    MultiGet split = worker.multiGet();
    boolean sendable = true;
    for (int token = firstKey; token < line.count() && sendable; token++) {
      Rule rule = rule(command, token, false);
      if (rule == null || rule.reject() != null) {
        split.recycle();
        refused(rule, command, buffer, next, 0);
        return;
      }
      Target target = listening.target(rule.pool());
      KeyRewrite rewrite = rewriteOf(rule);
      if (rewrite != null && rewrite.serverLength(line.length(token)) > MAX_KEY) {
        split.recycle();
        refuseLongKey(command, buffer, next, 0);
        return;
      }
      split.add(target, target.embedded() != null ? null : serverOf(target, rewrite), rewrite);
    }
    if (split.isWhole()) {
      Server server = split.server(0);
      ServerConnection connection = client.connectionTo(server);
      split.recycle();
      if (connection == null) {
        failUnlessWaiting(command, false, buffer, next);
        return;
      }
      Exchange exchange = client.newExchange(command, Grammar.VALUES, Exchange.HIDE_NOTHING);
      connection.expect(exchange);
      for (int token = firstKey; token < line.count(); token++) {
        exchange.addKey(KeyHash.of(buffer, line.start(token), line.end(token)));
      }
      client.forward(buffer, from, next, connection);
      client.lineDone(buffer, next);
      return;
    }
    for (int part = 0; part < split.parts(); part++) {
      Server server = split.server(part);
      if (server != null) {
        ServerConnection connection = client.connectionTo(server);
        if (connection == null && client.failure == null) {
          split.recycle();
          return;
        }
        split.connect(part, connection, client.failure);
      }
    }
    Exchange whole = client.newExchange(command, Grammar.VALUES, Exchange.HIDE_NOTHING);
    client.flushRun();
    split.send(client, whole, line, firstKey);
    client.lineDone(buffer, next);
  }

  // --- meta ---------------------------------------------------------------------------------

  private void metaLine(Command command, ByteBuf buffer, int from, int next) {
    if (line.count() < 2 || line.length(1) > MAX_KEY || isCutByNul()) {
      fenced(command, buffer, from, next);
      return;
    }
    meta.read(line, 2);
    Rule rule = rule(command, 1, meta.base64());
    if (refused(rule, command, buffer, next, 0)) {
      return;
    }
    Target target = listening.target(rule.pool());
    if (target.embedded() != null) {
      execute(command, target, buffer, from, next);
      return;
    }
    KeyRewrite rewrite = rewriteOf(rule);
    ServerConnection connection = client.connectionTo(serverOf(target, rewrite));
    if (connection == null) {
      failUnlessWaiting(command, false, buffer, next);
      return;
    }
    Exchange exchange = client.newExchange(command, Grammar.META, hides(command));
    connection.expect(exchange);
    ByteBuf changed = changedMeta(exchange, connection, rewrite, 2, from, next);
    if (changed == null) {
      client.forward(buffer, from, next, connection);
    } else {
      send(connection, changed);
    }
    client.lineDone(buffer, next);
  }

  private int hides(Command command) {
    if (!meta.isClean() || meta.quiet() < 0) {
      return Exchange.HIDE_NOTHING;
    }
    return command == Command.MG ? Exchange.HIDE_MISS : Exchange.HIDE_SUCCESS;
  }

  /**
   * The meta line as the server is to see it; null if that is as it is. The caller owns the result.
   */
  private ByteBuf changedMeta(
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
    boolean withoutKey = meta.base64() && meta.returnsKey() && breaksLines();
    if (quiet < 0 && opaque < 0 && rewrite == null && !withoutKey) {
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
    ByteBuf changed = worker.loop().buffer(lengthOf(rewrite, from, next));
    RequestLine.writeMeta(
        line, quiet, opaqueToken, opaque, withoutKey, firstFlag, meta.base64(), rewrite, changed);
    return changed;
  }

  /**
   * Whether the raw key, which the server may repeat, would end the line or look like an opaque.
   */
  private boolean breaksLines() {
    for (int i = keyFrom; i < keyTo; i++) {
      int b = key.getUnsignedByte(i);
      if (b == '\n' || (b == ' ' && i + 1 < keyTo && key.getByte(i + 1) == 'O')) {
        return true;
      }
    }
    return false;
  }

  // --- storage ------------------------------------------------------------------------------

  private void storage(Command command, ByteBuf buffer, int from, int next, ByteBuf in) {
    Target target = listening.firstTarget();
    Rule rule = null;
    if (line.count() > 1) {
      boolean base64 = command == Command.MS && meta.read(line, 3).base64();
      rule = rule(command, 1, base64);
      if (rule != null && rule.pool() >= 0) {
        target = listening.target(rule.pool());
      }
    }
    ServerVersion version = target == null ? ServerVersion.UNKNOWN : target.version();
    storage.read(line, command, version);
    int length = storage.dataLength();
    int block = length < 0 ? 0 : length + 2;
    boolean embedded = target != null && target.embedded() != null;
    if (storage.error() != null && !embedded) {
      ByteBuf reply = storage.noreply() ? null : TextErrors.line(worker.loop(), storage.error());
      client.lineDone(buffer, next);
      client.swallow(block, command, Outcome.PROTOCOL_ERROR, reply);
      return;
    }
    if (line.count() > 1 && refused(rule, command, buffer, next, block)) {
      return;
    }
    if (length > listening.limits().itemSizeBytes()) {
      tooLarge(command, target, rule, buffer, next, block);
    } else if (embedded) {
      embeddedStorage(command, target, buffer, from, next, block, in);
    } else {
      serverStorage(command, target, rule, buffer, from, next, block, in);
    }
  }

  /** As memcached: the block goes by, and a set's old value goes with it. */
  private void tooLarge(
      Command command, Target target, Rule rule, ByteBuf buffer, int next, int block) {
    boolean deletes = command == Command.SET || command == Command.MS;
    if (deletes && line.length(1) <= MAX_KEY) {
      boolean base64 = command == Command.MS && meta.base64();
      String verb = base64 ? "md " : "delete ";
      ByteBuf delete = worker.loop().buffer(300);
      delete.writeCharSequence(verb, US_ASCII);
      KeyRewrite rewrite = target.embedded() == null ? rewriteOf(rule) : null;
      if (rewrite == null) {
        delete.writeBytes(line.buffer(), line.start(1), line.length(1));
      } else {
        RequestLine.writeKey(line.buffer(), line.start(1), line.end(1), base64, rewrite, delete);
      }
      if (base64) {
        delete.writeShort(' ' << 8 | 'b');
      }
      delete.writeShort('\r' << 8 | '\n');
      if (target.embedded() != null) {
        ByteBuf ignored = worker.loop().buffer(64);
        target.embedded().text(delete, 0, delete.writerIndex(), ignored);
        ignored.release();
        delete.release();
      } else {
        ServerConnection connection = client.connectionTo(serverOf(target, rewrite));
        if (connection == null) {
          delete.release();
          if (client.failure == null) {
            return;
          }
        } else {
          Exchange exchange =
              client.newExchange(
                  Command.DELETE, base64 ? Grammar.META : Grammar.DELETED, Exchange.HIDE_ALL);
          connection.expect(exchange);
          send(connection, delete);
        }
      }
    }
    boolean silent = storage.noreply();
    client.lineDone(buffer, next);
    client.swallow(
        block,
        command,
        Outcome.REJECTED,
        silent ? null : TextErrors.line(worker.loop(), "SERVER_ERROR object too large for cache"));
  }

  private void embeddedStorage(
      Command command, Target target, ByteBuf buffer, int from, int next, int block, ByteBuf in) {
    if (block == 0) {
      execute(command, target, buffer, from, next);
    } else if (buffer == in && in.writerIndex() - next >= block) {
      execute(command, target, buffer, from, next + block);
    } else {
      client.gather(buffer, from, next, block);
    }
  }

  private void serverStorage(
      Command command,
      Target target,
      Rule rule,
      ByteBuf buffer,
      int from,
      int next,
      int block,
      ByteBuf in) {
    boolean whole = buffer == in && in.writerIndex() - next >= block;
    if (whole && !endsWell(in, next + block)) {
      badChunk(command, buffer, next + block);
      return;
    }
    KeyRewrite rewrite = rewriteOf(rule);
    if (rewrite != null && rewrite.serverLength(keyTo - keyFrom) > MAX_KEY) {
      refuseLongKey(command, buffer, next, block);
    } else if (whole) {
      storeWhole(command, target, rewrite, buffer, from, next, block);
    } else if (block <= ClientConnection.GATHER_LIMIT) {
      client.gather(buffer, from, next, block);
    } else {
      stream(command, target, rewrite, buffer, from, next, block);
    }
  }

  private static boolean endsWell(ByteBuf in, int end) {
    return in.getByte(end - 2) == '\r' && in.getByte(end - 1) == '\n';
  }

  private void badChunk(Command command, ByteBuf buffer, int next) {
    boolean silent = storage.noreply();
    client.lineDone(buffer, next);
    client.answer(
        command,
        Outcome.PROTOCOL_ERROR,
        silent ? null : TextErrors.line(worker.loop(), "CLIENT_ERROR bad data chunk"));
  }

  private void storeWhole(
      Command command,
      Target target,
      KeyRewrite rewrite,
      ByteBuf buffer,
      int from,
      int next,
      int block) {
    ServerConnection connection = client.connectionTo(serverOf(target, rewrite));
    if (connection == null) {
      failUnlessWaiting(command, storage.noreply(), buffer, next + block);
      return;
    }
    Exchange exchange = storageExchange(command);
    connection.expect(exchange);
    ByteBuf changed = changedStorage(command, exchange, connection, rewrite, from, next);
    if (changed == null) {
      client.forward(buffer, from, next + block, connection);
    } else if (block < COPY_BELOW) {
      send(connection, changed.writeBytes(buffer, next, block));
    } else {
      send(connection, changed);
      connection.write(buffer.retainedSlice(next, block));
    }
    client.lineDone(buffer, next + block);
  }

  private Exchange storageExchange(Command command) {
    if (command == Command.MS) {
      return client.newExchange(command, Grammar.META, hides(command));
    }
    return client.newExchange(
        command, Grammar.STORED, storage.noreply() ? Exchange.HIDE_ALL : Exchange.HIDE_NOTHING);
  }

  private ByteBuf changedStorage(
      Command command,
      Exchange exchange,
      ServerConnection connection,
      KeyRewrite rewrite,
      int from,
      int next) {
    if (command == Command.MS) {
      return changedMeta(exchange, connection, rewrite, 3, from, next);
    }
    if (!storage.noreply() && rewrite == null) {
      return null;
    }
    ByteBuf changed = worker.loop().buffer(lengthOf(rewrite, from, next) + COPY_BELOW);
    RequestLine.write(line, storage.noreply() ? line.count() - 1 : -1, 1, false, rewrite, changed);
    return changed;
  }

  /** Begins to stream a value too large to be gathered. */
  private void stream(
      Command command,
      Target target,
      KeyRewrite rewrite,
      ByteBuf buffer,
      int from,
      int next,
      int block) {
    if (!client.isAlone()) {
      return;
    }
    Server server = serverOf(target, rewrite);
    Exchange exchange = storageExchange(command);
    ByteBuf head = null;
    if (command == Command.MS) {
      if ((meta.isClean() && meta.quiet() >= 0) || rewrite != null) {
        head = worker.loop().buffer(lengthOf(rewrite, from, next));
        exchange.rewrite(rewrite);
        RequestLine.writeMeta(
            line,
            meta.isClean() ? meta.quiet() : -1,
            -1,
            -1,
            false,
            3,
            meta.base64(),
            rewrite,
            head);
      }
    } else if (storage.noreply() || rewrite != null) {
      head = worker.loop().buffer(lengthOf(rewrite, from, next));
      RequestLine.write(line, storage.noreply() ? line.count() - 1 : -1, 1, false, rewrite, head);
    }
    if (head == null) {
      head = worker.loop().buffer(next - from).writeBytes(buffer, from, next - from);
    }
    client.lineDone(buffer, next);
    client.lentRequest().begin(server, exchange, head, block, false);
  }

  /** A request whose line is head and whose block has been gathered. Borrows head. */
  void gathered(ByteBuf head) {
    Command command = read(head, 0, head.writerIndex());
    boolean base64 = command == Command.MS && meta.read(line, 3).base64();
    Rule rule = rule(command, 1, base64);
    Target target =
        rule != null && rule.pool() >= 0 ? listening.target(rule.pool()) : listening.firstTarget();
    storage.read(line, command, target.version());
    if (target.embedded() != null) {
      ByteBuf whole = client.pieces().copyBehind(head);
      ByteBuf reply = worker.loop().buffer(256);
      boolean close = target.embedded().text(whole, 0, whole.writerIndex(), reply);
      whole.release();
      client.gatheredDone();
      finishEmbedded(command, reply, close);
      return;
    }
    if (!client.pieces().endWithLineEnd()) {
      boolean silent = storage.noreply();
      client.gatheredDone();
      client.answer(
          command,
          Outcome.PROTOCOL_ERROR,
          silent ? null : TextErrors.line(worker.loop(), "CLIENT_ERROR bad data chunk"));
      return;
    }
    KeyRewrite rewrite = rewriteOf(rule);
    ServerConnection connection = client.connectionTo(serverOf(target, rewrite));
    if (connection == null) {
      if (client.failure != null) {
        String reason = client.failure;
        Exchange exchange = storageExchange(command);
        client.gatheredDone();
        client.fail(exchange, reason);
      }
      return;
    }
    Exchange exchange = storageExchange(command);
    connection.expect(exchange);
    ByteBuf changed = changedStorage(command, exchange, connection, rewrite, 0, head.writerIndex());
    send(connection, changed == null ? head.retainedSlice() : changed);
    client.pieces().writeTo(connection);
    client.gatheredDone();
  }
}
