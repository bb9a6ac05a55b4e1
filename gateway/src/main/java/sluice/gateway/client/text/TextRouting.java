package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.TextRequestReader;
import sluice.codecs.memcached.text.Base64Key;
import sluice.codecs.memcached.text.KeyedLine;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.client.EmbeddedOutcome;
import sluice.gateway.client.StoreReply;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Limiter;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Changes;
import sluice.gateway.near.NearCache;
import sluice.gateway.route.Rule;
import sluice.gateway.server.Server;
import sluice.gateway.server.TextErrors;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * What all requests of the text protocol have in common, whatever their command: the rule for a key
 * and its server, the ways to be refused or to fail, the store of this process.
 *
 * <p>Knows the key that it was last asked about, until the next call of {@link #rule}.
 */
final class TextRouting {
  static final int MAX_KEY = StorageLine.MAX_KEY;

  /** Bytes by which a line may grow that is written anew, its key aside. */
  static final int SPARE = 48;

  private static final String BAD_FORMAT = TextRequestReader.BAD_FORMAT;
  private static final String BAD_EXPTIME = TextRequestReader.BAD_EXPTIME;

  private final TextClient client;
  private final Worker worker;
  private final Listening listening;
  private final TextLine line;
  private Rule rule;
  private ByteBuf key;
  private int keyFrom;
  private int keyTo;
  private boolean readable; // not so is what should be base64 and is not: the server says so

  TextRouting(TextClient client, Worker worker, Listening listening) {
    this.client = client;
    this.worker = worker;
    this.listening = listening;
    line = worker.line;
  }

  // --- which way ----------------------------------------------------------------------------

  static boolean isMeta(Command command) {
    return switch (command) {
      case MG, MS, MD, MA, MN, ME -> true;
      default -> false;
    };
  }

  private static boolean hasTokens(Command command) {
    return switch (command) {
      case MG, MS, MD, MA -> true;
      default -> false;
    };
  }

  /** The dialect that a command belongs to. */
  static Dialect dialect(Command command) {
    return isMeta(command) ? Dialect.META : Dialect.TEXT;
  }

  /** The rule for the key in a token; its key is the one of the calls that follow. */
  Rule rule(Command command, int token, boolean base64) {
    key = line.buffer();
    keyFrom = line.start(token);
    keyTo = line.end(token);
    readable = true;
    if (base64) {
      ByteBuf raw = worker.scratch();
      readable = Base64Key.decode(key, keyFrom, keyTo, raw) > 0;
      if (readable) {
        key = raw;
        keyFrom = 0;
        keyTo = raw.writerIndex();
      }
    }
    TextLine tokens = hasTokens(command) ? line : null;
    rule = listening.route().find(command, dialect(command), key, keyFrom, keyTo, tokens);
    return rule;
  }

  /**
   * The backend of servers for the key in a token; null if the request has been answered: refused
   * by its rule, or executed by the store of this process.
   */
  Backend servers(Command command, int token, boolean base64, ByteBuf buffer, int from, int next) {
    if (refused(rule(command, token, base64), command, buffer, next, 0)) {
      return null;
    }
    Backend backend = backend(command);
    if (backend.pool().embedded() != null) {
      execute(command, backend.pool(), token, base64, buffer, from, next, next);
      return null;
    }
    return backend;
  }

  /** Where the request goes whose rule was looked for last, and does not reject. */
  Backend backend(Command command) {
    Changes changes = leavesItems(command) ? null : listening.changes(rule);
    client.changes(changes, changes == null ? 0 : Changes.of(hash()));
    return listening.backend(rule, dialect(command), key, keyFrom, keyTo, worker.renamed());
  }

  /** As {@link #backend}, of one key among others. */
  Backend backendOfOne(Command command) {
    Backend backend = backend(command);
    if (changesNear(command)) {
      listening.changes(rule).passing(hash());
      client.changes(listening.allChanges(), Changes.SEVERAL);
    }
    return backend.forOneOfManyKeys(dialect(command), isTouchingRead(command), key, keyFrom, keyTo);
  }

  /** Whether a near cache has to know that the key is changed whose rule was looked for last. */
  boolean changesNear(Command command) {
    return !leavesItems(command) && listening.changes(rule) != null;
  }

  /** Whether items are the same after a command as before. The flags of an mg were read. */
  private boolean leavesItems(Command command) {
    return switch (command) {
      case GET, GETS, ME -> true;
      case MG -> worker.meta.leavesItem();
      default -> false;
    };
  }

  /** The hash of the key as its servers know it. */
  private int hash() {
    KeyRewrite rewrite = rewrite();
    if (rewrite == null) {
      return NearCache.hash(key, keyFrom, keyTo);
    }
    ByteBuf renamed = worker.renamed().clear();
    rewrite.toServer(key, keyFrom, keyTo, renamed);
    return NearCache.hash(renamed, 0, renamed.writerIndex());
  }

  Server serverOf(Pool pool, KeyRewrite rewrite) {
    if (pool.size() == 1) {
      return pool.server(0, Dialect.TEXT);
    }
    if (rewrite == null) {
      return pool.server(pool.serverOf(key, keyFrom, keyTo), Dialect.TEXT);
    }
    ByteBuf renamed = worker.loop().buffer(rewrite.serverLength(keyTo - keyFrom));
    try {
      rewrite.toServer(key, keyFrom, keyTo, renamed);
      return pool.server(pool.serverOf(renamed, 0, renamed.writerIndex()), Dialect.TEXT);
    } finally {
      renamed.release();
    }
  }

  /** How the rule renames the key, or null if it does not. */
  KeyRewrite rewrite() {
    KeyRewrite rewrite = rule == null ? null : rule.rewrite();
    return readable && rewrite != null && rewrite.fits(key, keyFrom, keyTo) ? rewrite : null;
  }

  /** The token of the meta line that the servers are not to see, or -1. */
  int strippedToken() {
    return rule == null ? -1 : rule.strippedToken(line);
  }

  /** Whether the key is what it was said to be: base64. */
  boolean isReadable() {
    return readable;
  }

  /** Gives the key to a request in its neutral form. */
  void giveKey(Request request) {
    request.key(key, keyFrom, keyTo);
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

  /** Whether the raw key would end a line that repeats it. */
  boolean endsLines() {
    return key.indexOf(keyFrom, keyTo, (byte) '\n') >= 0;
  }

  /** The version whose reading of a line is followed that goes to server. */
  static ServerVersion version(Server server) {
    ServerVersion version = server.status().version();
    return version == null ? ServerVersion.UNKNOWN : version;
  }

  /**
   * Whether the servers cannot have a key of this name, as it would be written: an empty one would
   * make the next token the key, and behind one that is too long a data block would be commands.
   *
   * @param base64 whether the line has the key in base64
   */
  boolean isUnusable(KeyRewrite rewrite, boolean base64) {
    if (rewrite == null) {
      return false; // the token is there, and its length has been looked at
    }
    int length = rewrite.serverLength(keyTo - keyFrom);
    return length < 1 || (base64 ? Base64Key.encodedLength(length) : length) > MAX_KEY;
  }

  /**
   * Whether the process behind connection would read the line otherwise than it was read: its
   * version is another than that of the server which the answer would be expected of.
   */
  boolean isRefusedBy(ServerConnection connection, Command command) {
    return (line.hasNul() && !connection.version().readsLinesAsProxy())
        || (isMeta(command) && !connection.version().speaksMeta())
        || (isTouchingRead(command) && !connection.version().touchesReads());
  }

  /** Answers for a server whose version does not know the command, or not such a line. */
  void refuseFor(
      ServerConnection connection, Command command, boolean noreply, ByteBuf buffer, int next) {
    boolean knows =
        isTouchingRead(command)
            ? connection.version().touchesReads()
            : connection.version().speaksMeta();
    String error = knows ? BAD_FORMAT : "ERROR";
    client.lineDone(buffer, next);
    client.answer(
        command, Outcome.REJECTED, noreply ? null : TextErrors.line(worker.loop(), error));
  }

  /** Whether lines are read as memcached does from 1.6.40 on. */
  boolean readsLinesAsProxy() {
    return listening.version().readsLinesAsProxy();
  }

  // --- nowhere ------------------------------------------------------------------------------

  /** Answers for a rule that sends the request nowhere; returns whether it did. */
  boolean refused(Rule rule, Command command, ByteBuf buffer, int next, int block) {
    String reason;
    if (rule == null) {
      reason = "no rule of route " + listening.route().name() + " takes this request";
    } else if (rule.reject() != null) {
      reason = rule.reject();
    } else if (client.isOver(listening.limiter(rule))) {
      reason = listening.limiter(rule).reason();
    } else {
      return false;
    }
    refuse(command, reason, buffer, next, block);
    return true;
  }

  private void refuse(Command command, String reason, ByteBuf buffer, int next, int block) {
    ByteBuf reply = isSilent(command) ? null : TextErrors.serverError(worker.loop(), reason);
    client.lineDone(buffer, next);
    client.swallow(block, command, Outcome.REJECTED, reply);
  }

  /** Whether nothing is answered, as the first server's version reads the line. */
  private boolean isSilent(Command command) {
    return switch (command) {
      case DELETE, INCR, DECR, TOUCH ->
          worker.keyed.read(line, command, listening.version()).noreply();
      case SET, ADD, REPLACE, APPEND, PREPEND, CAS -> worker.storage.noreply();
      default -> false;
    };
  }

  /**
   * Answers for a read whose keys, from a token on, are together over the limit of one of their
   * rules; returns whether it did. All of them pass, or none.
   */
  boolean refusedAsMany(Command command, int firstKey, ByteBuf buffer, int next) {
    if (client.isAdmitted() || !listening.countsRequests()) {
      return false;
    }
    wantMany(command, firstKey);
    return refusedAsWanted(command, buffer, next);
  }

  /** The keys in the line's tokens, from one on, are to be counted together with others. */
  void wantMany(Command command, int firstKey) {
    for (int token = firstKey; token < line.count(); token++) {
      Rule found = rule(command, token, false);
      Limiter limiter = found == null ? null : listening.limiter(found);
      if (limiter != null) {
        limiter.want();
      }
    }
  }

  /** Answers for a read whose keys, which were {@link #wantMany wanted}, are over a limit. */
  boolean refusedAsWanted(Command command, ByteBuf buffer, int next) {
    Limiter over = listening.takeWanted();
    if (over != null) {
      refuse(command, over.reason(), buffer, next, 0);
      return true;
    }
    client.admit();
    return false;
  }

  void refuseLongKey(Command command, ByteBuf buffer, int next, int block) {
    client.lineDone(buffer, next);
    client.swallow(block, command, Outcome.REJECTED, TextErrors.line(worker.loop(), BAD_FORMAT));
  }

  /** No connection: the request fails, or is looked at again later. */
  void failUnlessWaiting(Command command, boolean noreply, ByteBuf buffer, int next) {
    if (client.failure() != null) {
      fail(command, noreply, client.failure(), buffer, next);
    }
  }

  /** The request fails. */
  void fail(Command command, boolean noreply, String reason, ByteBuf buffer, int next) {
    client.lineDone(buffer, next);
    Exchange exchange =
        client.newExchange(
            command, Grammar.LINE, noreply ? Exchange.HIDE_ALL : Exchange.HIDE_NOTHING);
    client.fail(exchange, reason);
  }

  /** As {@link #fail}, of a request that has been gathered. */
  void failGathered(Command command, int hides, String reason) {
    Exchange exchange = client.newExchange(command, Grammar.LINE, hides);
    client.gatheredDone();
    client.fail(exchange, reason);
  }

  /** As {@link #refused}, of a line that counts though it is not read as a server would. */
  private boolean refusedUnread(Command command, int token, ByteBuf buffer, int next) {
    boolean counts = line.count() > token && rule != null && rule.reject() == null;
    return counts && refused(rule, command, buffer, next, 0);
  }

  /** The answer to a line without a key that a server could have. */
  private void refuseUnread(Command command, int token, ByteBuf buffer, int next) {
    String reply = readsLinesAsProxy() || line.count() > token ? BAD_FORMAT : "ERROR";
    boolean silent = false;
    switch (command) {
      case DELETE, INCR, DECR, TOUCH, ME -> {
        KeyedLine keyed = worker.keyed.read(line, command, listening.version());
        reply = keyed.error();
        silent = keyed.noreply();
      }
      case GAT, GATS -> {
        if (line.count() == 2 && !readsLinesAsProxy()) {
          reply = isTouchWithoutTime(command) ? BAD_EXPTIME : "END"; // as before 1.6.40
        }
      }
      default -> {
        // whatever the command, the line is too short, or its key too long
      }
    }
    client.lineDone(buffer, next);
    client.answer(
        command, Outcome.PROTOCOL_ERROR, silent ? null : TextErrors.line(worker.loop(), reply));
  }

  private static boolean isTouchingRead(Command command) {
    return command == Command.GAT || command == Command.GATS;
  }

  /** Whether it is a gat whose time to live is none. */
  boolean isTouchWithoutTime(Command command) {
    return isTouchingRead(command)
        && worker.keyed.read(line, command, listening.version()).error() != null;
  }

  // --- there --------------------------------------------------------------------------------

  void send(ServerConnection connection, ByteBuf bytes) {
    client.flushRun();
    connection.write(bytes);
  }

  static int lengthOf(KeyRewrite rewrite, int from, int next) {
    return next - from + SPARE + (rewrite == null ? 0 : 2 * rewrite.mostAdded());
  }

  /** The store of this process executes the line [from, next) of buffer as it is. */
  void execute(Command command, Pool pool, ByteBuf buffer, int from, int next) {
    ByteBuf reply = worker.loop().buffer(256);
    boolean close = pool.embedded().text(buffer, from, next, reply);
    client.lineDone(buffer, next);
    answer(command, EmbeddedOutcome.ofText(reply), null, reply, close);
  }

  /**
   * The store of this process executes a request with the key in a token, renamed if the rule says
   * so: a line [from, lineEnd) of buffer, and its block up to next.
   */
  void execute(
      Command command,
      Pool pool,
      int token,
      boolean base64,
      ByteBuf buffer,
      int from,
      int lineEnd,
      int next) {
    KeyRewrite rewrite = line.count() > token ? rewrite() : null; // else no rule was looked for
    if (rewrite == null) {
      execute(command, pool, buffer, from, next);
      return;
    }
    if (isUnusable(rewrite, base64)) {
      refuseLongKey(command, buffer, next, 0);
      return;
    }
    ByteBuf request = renamedLine(rewrite, token, base64, next - from);
    request.writeBytes(buffer, lineEnd, next - lineEnd);
    ByteBuf reply = worker.loop().buffer(256);
    boolean close = pool.embedded().text(request, 0, request.writerIndex(), reply);
    request.release();
    Outcome outcome = EmbeddedOutcome.ofText(reply);
    ByteBuf head = withClientKey(command, rewrite, reply);
    client.lineDone(buffer, next);
    answer(command, outcome, head, reply, close);
  }

  /** As {@link #execute}, of a request whose line is line and whose block has been gathered. */
  void executeGathered(Command command, Pool pool, boolean base64, ByteBuf line) {
    KeyRewrite rewrite = rewrite();
    ByteBuf renamed =
        rewrite == null
            ? worker.loop().slice(line, line.readerIndex(), line.readableBytes())
            : renamedLine(rewrite, 1, base64, line.readableBytes());
    ByteBuf request = client.pieces().copyBehind(renamed);
    renamed.release();
    ByteBuf reply = worker.loop().buffer(256);
    boolean close = pool.embedded().text(request, 0, request.writerIndex(), reply);
    request.release();
    Outcome outcome = EmbeddedOutcome.ofText(reply);
    ByteBuf head = rewrite == null ? null : withClientKey(command, rewrite, reply);
    client.gatheredDone();
    answer(command, outcome, head, reply, close);
  }

  private ByteBuf renamedLine(KeyRewrite rewrite, int token, boolean base64, int length) {
    ByteBuf renamed = worker.loop().buffer(lengthOf(rewrite, 0, length));
    RequestLine.writeForStore(line, token, base64, rewrite, renamed);
    return renamed;
  }

  private ByteBuf withClientKey(Command command, KeyRewrite rewrite, ByteBuf reply) {
    ByteBuf renamed = worker.loop().buffer(rewrite.serverLength(keyLength()));
    try {
      rewrite.toServer(key, keyFrom, keyTo, renamed);
      return StoreReply.withKey(worker.loop(), command, reply, key, keyFrom, keyTo, renamed);
    } finally {
      renamed.release();
    }
  }

  private void answer(
      Command command, Outcome outcome, ByteBuf head, ByteBuf reply, boolean close) {
    client.answer(command, outcome, head, reply);
    if (close) {
      client.end();
    }
  }

  private Pool targetOf(Command command, int token) {
    Rule found = line.count() > token ? rule(command, token, false) : null;
    return found != null && found.pool() >= 0 ? backend(command).pool() : listening.firstTarget();
  }

  /**
   * A read with a key that is too long, or of many keys with no time to live. No server may see it:
   * memcached throws away with its own values whatever it has not sent yet ("Kill any stacked
   * responses we had", process_get_command), the replies to earlier requests of other clients. The
   * answer is that of the version.
   */
  void wrongRead(Command command, int firstKey, ByteBuf buffer, int from, int next) {
    Pool pool = targetOf(command, firstKey);
    if (refusedUnread(command, firstKey, buffer, next)) {
      return;
    }
    if (pool != null && pool.embedded() != null && line.isWhole()) {
      executeUnread(command, firstKey, pool, buffer, from, next);
      return;
    }
    String reply = BAD_FORMAT;
    if (isTouchWithoutTime(command)) {
      reply = BAD_EXPTIME;
    } else if (readsLinesAsProxy()) {
      reply += "\r\n"; // an empty line follows
    }
    client.lineDone(buffer, next);
    client.answer(command, Outcome.PROTOCOL_ERROR, TextErrors.line(worker.loop(), reply));
  }

  /**
   * A line without a key in a token, or with one that is too long. No server sees it: the answer is
   * that of the version. The store of this process answers for itself.
   */
  void refuseWithoutKey(Command command, int token, ByteBuf buffer, int from, int next) {
    Pool pool = targetOf(command, token);
    if (pool == null) {
      refused(null, command, buffer, next, 0);
    } else if (refusedUnread(command, token, buffer, next)) {
      return;
    } else if (pool.embedded() != null) {
      executeUnread(command, token, pool, buffer, from, next);
    } else {
      refuseUnread(command, token, buffer, next);
    }
  }

  private void executeUnread(
      Command command, int token, Pool pool, ByteBuf buffer, int from, int next) {
    if (line.count() > token && rule != null && rewrite() != null) {
      refuseLongKey(command, buffer, next, 0); // the store must not see the client's name
    } else {
      execute(command, pool, buffer, from, next);
    }
  }
}
