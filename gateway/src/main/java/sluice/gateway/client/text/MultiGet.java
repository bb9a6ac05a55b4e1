package sluice.gateway.client.text;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.KeyHash;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.TextLine;
import sluice.codecs.memcached.text.TextReply;
import sluice.gateway.client.ClientConnection;
import sluice.gateway.client.StoreReply;
import sluice.gateway.client.text.request.RequestLine;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Gathering;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.server.Server;
import sluice.gateway.server.TextErrors;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.names.Command;

/**
 * A get of keys that live on several servers: one request to each, fetched side by side, and the
 * values put together in the order asked. A server answers in the order in which it was asked, and
 * that is the client's: so the next value is always what comes first of its part's reply, and of
 * each nothing but its length needs to be known.
 *
 * <p>Of more keys than one of these takes, a {@link LongGet} asks for the next when these are
 * answered. Pooled by its event loop, which counts the heap that it takes.
 */
final class MultiGet implements Gathering {
  private static final int MISSED = 0;
  private static final int UNKNOWN = -1;
  private static final int FAILED = -2;
  private static final int NO_KEY = Integer.MAX_VALUE;

  /** Keys of one of these: as many as a line that is not looked at in parts. */
  private static final int MOST_KEYS = TextLine.MOST_TOKENS - 2;

  /** Requests for one key each: an exchange, with what bridges it, is some 900 bytes of heap. */
  private static final int MOST_APART = 256;

  private static final int MOST_APART_WHEN_TIGHT = 32;

  /** Bytes of values that are here before anything is sent: of a near cache, or of a store. */
  private static final int MOST_FOUND = 256 * 1024;

  private static final int LONGEST_KEY = 252; // with what goes before it, and behind the last

  private static final int BYTES_A_KEY = 12;
  private static final int BYTES_A_PART = 48;
  private static final int BYTES = 64 * BYTES_A_KEY + 8 * BYTES_A_PART + 256;

  /** Bytes of a part's line beside its share of the keys: the command, and chance. */
  private static final int SPARE = 64;

  /** The keys of a read behind those that one of these asks for. */
  interface Rest extends Gathering {
    /** Whether keys have yet to be asked for. */
    boolean hasMore();

    /** Those that were asked for are answered, and more follow. */
    void goesOn();

    /** All are answered, or nobody waits any more. */
    void end();
  }

  private final MultiGets pool;
  private final Worker worker;
  private final Dispatcher dispatcher;
  private ClientConnection client;
  private Exchange whole;

  private int keys;
  private int[] partOf = new int[64];
  private int[] valueBytes = new int[64]; // with their lines; or MISSED, UNKNOWN, FAILED
  private int[] nextOfPart = new int[64]; // the next key of the same part, or keys
  private int nextKey;

  private int parts;
  private Server[] servers = new Server[8];
  private Pool[] targets = new Pool[8];
  private Backend[] backends = new Backend[8]; // of a part of one key, in canonical form
  private RequestContext[] contexts = new RequestContext[8]; // the same
  private KeyRewrite[] rewrites = new KeyRewrite[8];
  private ServerConnection[] connections = new ServerConnection[8];
  private String[] failures = new String[8];
  private Exchange[] exchanges = new Exchange[8];
  private ByteBuf[] lines = new ByteBuf[8];
  private boolean[] done = new boolean[8];
  private ByteBuf[] found = new ByteBuf[8]; // by a near cache: the reply to a part of one key
  private int[] lastKey = new int[8];
  private int[] openKey = new int[8]; // the first whose fate is not known, and
  private int[] openIndex = new int[8]; // its index among the part's keys
  private int open;
  private int apart; // parts of one key each
  private int foundBytes;
  private int mostApart;
  private int lineRoom; // for keys, in a line that asks for all of them
  private String firstFailure;
  private boolean sending;
  private long started;
  private Rest rest; // what goes on behind these keys; null if they are all

  MultiGet(MultiGets pool, Worker worker, Dispatcher dispatcher) {
    this.pool = pool;
    this.worker = worker;
    this.dispatcher = dispatcher;
    worker.loop().memory().addObjects(BYTES);
  }

  /** It is not used any more. */
  void drop() {
    worker.loop().memory().addObjects(-bytes());
  }

  private long bytes() {
    return BYTES
        + (long) BYTES_A_KEY * (partOf.length - 64)
        + (long) BYTES_A_PART * (servers.length - 8);
  }

  // --- planning -----------------------------------------------------------------------------

  /**
   * Adds the next key: it goes to server, or to target's store where server is null.
   *
   * @param apart whether it is asked for by a request of its own
   */
  void add(Pool target, Server server, KeyRewrite rewrite, boolean apart) {
    int part = apart ? parts : 0;
    while (part < parts
        && !(servers[part] == server
            && targets[part] == target
            && rewrites[part] == rewrite
            && backends[part] == null
            && found[part] == null)) {
      part++;
    }
    add(part, target, server, rewrite, apart);
  }

  /** Adds the next key, which is asked for by a request of its own: context's, which it owns. */
  void add(Backend backend, RequestContext context) {
    int part = parts;
    add(part, backend.pool(), null, null, true);
    backends[part] = backend;
    contexts[part] = context;
  }

  /** Adds the next key, whose reply is known. Consumes reply. */
  void add(Pool target, ByteBuf reply) {
    int part = parts;
    add(part, target, null, null, true);
    found[part] = reply;
    foundBytes += reply.readableBytes();
  }

  private void add(int part, Pool target, Server server, KeyRewrite rewrite, boolean apart) {
    this.apart += apart ? 1 : 0;
    int fresh = parts;
    if (part == parts) {
      if (parts == servers.length) {
        growParts();
      }
      servers[part] = server;
      targets[part] = target;
      rewrites[part] = rewrite;
      parts++;
    }
    if (keys == partOf.length) {
      worker.loop().memory().addObjects((long) BYTES_A_KEY * keys);
      partOf = Arrays.copyOf(partOf, keys * 2);
      valueBytes = Arrays.copyOf(valueBytes, keys * 2);
      nextOfPart = Arrays.copyOf(nextOfPart, keys * 2);
    }
    if (part == fresh) {
      openKey[part] = keys;
      openIndex[part] = 0;
    } else {
      nextOfPart[lastKey[part]] = keys;
    }
    lastKey[part] = keys;
    nextOfPart[keys] = NO_KEY;
    partOf[keys] = part;
    valueBytes[keys++] = UNKNOWN;
  }

  /** Keys of a request are to be added: all but get and gets must fit into a short line. */
  MultiGet of(TextRequest request) {
    mostApart = worker.loop().memory().isTight() ? MOST_APART_WHEN_TIGHT : MOST_APART;
    TextLine line = request.line;
    int verb = line.end(request.firstKey() - 1) - line.start(0);
    lineRoom = request.isTouchingRead() ? RequestLine.MAX_LINE - verb : Integer.MAX_VALUE;
    return this;
  }

  /** The next key has so many bytes as its server knows it. */
  void takes(int length) {
    lineRoom -= length + 1;
  }

  /** Whether no more keys are to be added. */
  boolean isFull() {
    if (keys > 0 && lineRoom < LONGEST_KEY) {
      return true;
    }
    return keys >= MOST_KEYS || apart >= mostApart || foundBytes >= MOST_FOUND;
  }

  private void growParts() {
    int length = parts * 2;
    worker.loop().memory().addObjects((long) BYTES_A_PART * parts);
    servers = Arrays.copyOf(servers, length);
    targets = Arrays.copyOf(targets, length);
    rewrites = Arrays.copyOf(rewrites, length);
    connections = Arrays.copyOf(connections, length);
    backends = Arrays.copyOf(backends, length);
    contexts = Arrays.copyOf(contexts, length);
    failures = Arrays.copyOf(failures, length);
    exchanges = Arrays.copyOf(exchanges, length);
    lines = Arrays.copyOf(lines, length);
    done = Arrays.copyOf(done, length);
    found = Arrays.copyOf(found, length);
    lastKey = Arrays.copyOf(lastKey, length);
    openKey = Arrays.copyOf(openKey, length);
    openIndex = Arrays.copyOf(openIndex, length);
  }

  /** Whether one server has all keys, under the names that the client uses. */
  boolean isWhole() {
    return parts == 1 && servers[0] != null && rewrites[0] == null;
  }

  int parts() {
    return parts;
  }

  /** The server of a part; null: a store, or what its backend has found. */
  Server server(int part) {
    return servers[part];
  }

  /** Whether a part is still to be {@linkplain #connect connected}. */
  boolean needsConnection(int part) {
    return servers[part] != null;
  }

  /** The connection that the backend of a part has found; null if it has none, or several. */
  ServerConnection connection(int part) {
    return contexts[part] == null ? null : contexts[part].connection();
  }

  /** A part is not sent; failure says why. */
  void fail(int part, String failure) {
    if (contexts[part] != null) {
      dispatcher.give(contexts[part]);
      contexts[part] = null;
    }
    connections[part] = null;
    failures[part] = failure;
  }

  /** The connection for a part, or why there is none. */
  void connect(int part, ServerConnection connection, String failure) {
    connections[part] = connection;
    failures[part] = failure;
  }

  private void clear(int part) {
    if (found[part] != null) {
      found[part].release();
      found[part] = null;
    }
    servers[part] = null;
    targets[part] = null;
    rewrites[part] = null;
    connections[part] = null;
    backends[part] = null;
    if (contexts[part] != null) {
      dispatcher.give(contexts[part]);
      contexts[part] = null;
    }
    failures[part] = null;
    exchanges[part] = null;
    done[part] = false;
  }

  /** Gives this back to its loop. */
  void recycle() {
    for (int part = 0; part < parts; part++) {
      clear(part);
    }
    client = null;
    whole = null;
    keys = 0;
    nextKey = 0;
    parts = 0;
    open = 0;
    apart = 0;
    foundBytes = 0;
    firstFailure = null;
    rest = null;
    pool.give(this);
  }

  // --- sending ------------------------------------------------------------------------------

  /**
   * Begins with what needs no server: what stores of this process have.
   *
   * @param of the client's exchange
   * @param since when its requests count as begun
   * @return how many of the keys are asked for: those behind are left out if stores have much
   */
  int begin(ClientConnection by, Exchange of, TextRequest request, long since) {
    client = by;
    whole = of;
    started = since;
    for (int key = 0; key < keys; key++) {
      int part = partOf[key];
      if (isStores(part)) {
        if (exchanges[part] == null) {
          begin(part, request);
        }
        readStore(part, key, request);
        foundBytes += Math.max(0, valueBytes[key]);
        if (foundBytes >= MOST_FOUND && key + 1 < keys) {
          leaveOut(key + 1);
        }
      }
    }
    return keys;
  }

  /** Whether a store of this process is asked. */
  private boolean isStores(int part) {
    return servers[part] == null && backends[part] == null && found[part] == null;
  }

  /** Leaves out the keys from a number on. */
  private void leaveOut(int from) {
    keys = from;
    for (int key = 0; key < keys; key++) {
      lastKey[partOf[key]] = key;
      if (nextOfPart[key] >= from) {
        nextOfPart[key] = NO_KEY;
      }
    }
    while (openKey[parts - 1] >= from) { // parts are in the order of their first keys
      clear(--parts);
    }
  }

  /**
   * Sends each part.
   *
   * @param next what goes on when all are answered, or null
   */
  void send(TextRequest request, Rest next) {
    TextLine line = request.line;
    rest = next;
    whole.splitInto(this);
    open = parts;
    sending = true;
    for (int part = 0; part < parts; part++) {
      if (exchanges[part] == null) {
        begin(part, request);
      }
    }
    for (int key = 0; key < keys; key++) {
      int part = partOf[key];
      int from = line.start(request.firstKey() + key);
      int to = line.end(request.firstKey() + key);
      if (found[part] != null) {
        valueBytes[key] = found[part].readableBytes();
        exchanges[part].hold(found[part]);
        found[part] = null;
      } else if (lines[part] != null) {
        ByteBuf out = lines[part].writeByte(' ');
        int start = out.writerIndex();
        if (rewrites[part] == null) {
          Bytes.append(line.buffer(), from, to - from, out);
        } else {
          rewrites[part].toServer(line.buffer(), from, to, out);
        }
        exchanges[part].sent().addKey(KeyHash.of(out, start, out.writerIndex()));
      }
    }
    for (int part = 0; part < parts; part++) {
      finish(part);
    }
    sending = false;
    merge();
  }

  private void begin(int part, TextRequest request) {
    Exchange exchange = newPart(part);
    exchange.rewrite(rewrites[part]);
    exchanges[part] = exchange;
    if (connections[part] != null) {
      TextLine line = request.line;
      int firstKey = request.firstKey();
      int all = line.end(firstKey + keys - 1) - line.start(firstKey);
      ByteBuf out = worker.loop().buffer(all * 5 / 4 / parts + SPARE);
      writeVerb(request, out);
      lines[part] = out;
    }
  }

  /** Writes what is before the first key; each key brings its space. */
  private static void writeVerb(TextRequest request, ByteBuf out) {
    Command command = request.command();
    if (request.isTouchingRead()) { // its line is right, whichever version is followed
      request.keyed.read(request.line, command, ServerVersion.UNKNOWN);
    }
    RequestLine.writeBeforeKey(request.keyed, command, out);
    out.writerIndex(out.writerIndex() - 1);
  }

  private Exchange newPart(int part) {
    Exchange exchange =
        worker
            .exchanges()
            .take()
            .start(client, whole.command(), Grammar.VALUES, Exchange.HIDE_NOTHING, started);
    exchange.partOf(this, part);
    return exchange;
  }

  private void finish(int part) {
    if (contexts[part] != null) {
      send(part);
    } else if (connections[part] != null) {
      ByteBuf asked = lines[part].writeShort('\r' << 8 | '\n');
      connections[part].expect(exchanges[part]);
      connections[part].mayRepeat(exchanges[part], asked, 0, asked.writerIndex());
      connections[part].write(asked);
      lines[part] = null;
    } else if (servers[part] == null && backends[part] == null) {
      exchanges[part].complete();
      partCompleted(exchanges[part], null);
    } else {
      exchanges[part].complete();
      partCompleted(exchanges[part], failures[part]);
    }
  }

  /** Sends a part of one key in canonical form. */
  private void send(int part) {
    RequestContext context = contexts[part];
    contexts[part] = null;
    String failure = context.failure();
    ByteBuf refused = null;
    if (failure == null) {
      context.sentAs(exchanges[part]);
      refused = backends[part].send(context);
    }
    dispatcher.give(context);
    if (refused != null) {
      failures[part] = refused.toString(ISO_8859_1).stripTrailing();
      refused.release();
    }
    if (failure != null || refused != null) {
      exchanges[part].complete();
      partCompleted(exchanges[part], failure);
    }
  }

  private void readStore(int part, int key, TextRequest request) {
    TextLine line = request.line;
    int firstKey = request.firstKey();
    int from = line.start(firstKey + key);
    int to = line.end(firstKey + key);
    KeyRewrite rewrite = rewrites[part];
    ByteBuf asked = worker.loop().buffer(600);
    ByteBuf reply = worker.loop().buffer(256);
    asked.writeBytes(line.buffer(), line.start(0), line.end(firstKey - 1) - line.start(0));
    int keyAt = asked.writeByte(' ').writerIndex();
    if (rewrite == null) {
      asked.writeBytes(line.buffer(), from, to - from);
    } else {
      rewrite.toServer(line.buffer(), from, to, asked);
    }
    int keyLength = asked.writerIndex() - keyAt;
    asked.writeShort('\r' << 8 | '\n');
    targets[part].embedded().text(asked, 0, asked.writerIndex(), reply);
    if (reply.readableBytes() > 5 && reply.getByte(0) == 'V') {
      reply.writerIndex(reply.writerIndex() - 5); // END
      int before = exchanges[part].heldBytes();
      if (rewrite != null) {
        asked.setIndex(keyAt, keyAt + keyLength);
        exchanges[part].hold(
            StoreReply.withKey(
                worker.loop(), whole.command(), reply, line.buffer(), from, to, asked));
      }
      exchanges[part].hold(reply);
      valueBytes[key] = exchanges[part].heldBytes() - before;
    } else if (TextReply.isError(reply, 0, reply.writerIndex())) {
      failures[part] = reply.toString(US_ASCII).stripTrailing(); // as a server would have said
      reply.release();
    } else {
      valueBytes[key] = MISSED;
      reply.release();
    }
    asked.release();
  }

  // --- gathering ----------------------------------------------------------------------------

  @Override
  public void value(Exchange exchange, int key, int bytes) {
    int part = part(exchange);
    settle(part, key, MISSED);
    int global = openKey[part];
    valueBytes[global] = bytes;
    openKey[part] = nextOfPart[global];
    openIndex[part]++;
  }

  @Override
  public void arrived(Exchange exchange) {
    if (nextKey < keys && valueBytes[nextKey] != UNKNOWN) {
      merge();
    } // else all wait for another's: nothing changes for anybody
  }

  /**
   * The part's keys up to its {@code index}th, from the first that is not known: all are {@code
   * fate}.
   */
  private void settle(int part, int index, int fate) {
    while (openIndex[part] < index && openKey[part] != NO_KEY) {
      if (valueBytes[openKey[part]] == UNKNOWN) {
        valueBytes[openKey[part]] = fate;
      }
      openKey[part] = nextOfPart[openKey[part]];
      openIndex[part]++;
    }
  }

  private int part(Exchange exchange) {
    return exchange.part();
  }

  @Override
  public boolean awaits(Exchange part) {
    return nextKey == keys || exchanges[partOf[nextKey]] == part;
  }

  /** The part that the next value is of, or null. */
  private Exchange nextPart() {
    return sending || nextKey == keys ? null : exchanges[partOf[nextKey]];
  }

  @Override
  public boolean isTurnOf(Exchange part) {
    return nextPart() == part && client.isTurnOf(whole);
  }

  @Override
  public void turn() {
    Exchange next = nextPart();
    if (next != null && next.parts() != null) {
      next.parts().turn();
    }
  }

  @Override
  public boolean isJoining() {
    Exchange next = nextPart();
    return next != null && next.parts() != null && next.parts().isJoining();
  }

  @Override
  public void errorLine(Exchange exchange, String line) {
    failures[part(exchange)] = line;
  }

  @Override
  public void partCompleted(Exchange exchange, String failure) {
    int part = part(exchange);
    done[part] = true;
    open--;
    String why = failure != null ? TextErrors.SERVER_ERROR + failure : failures[part];
    if (why == null || targets[part].missOnFailure()) {
      settle(part, NO_KEY, MISSED);
    } else {
      if (firstFailure == null) {
        firstFailure = why;
        whole.outcome(failure == null ? Outcome.ERROR : Outcome.SERVER_DOWN);
      }
      settle(part, NO_KEY, FAILED);
    }
    merge();
  }

  /** Moves what is known, in the order asked, to the client's exchange. */
  private void merge() {
    if (sending) {
      return;
    }
    if (firstFailure != null && !whole.isCommitted()) {
      end(firstFailure);
      return;
    }
    boolean found = false;
    while (nextKey < keys && valueBytes[nextKey] != UNKNOWN) {
      if (valueBytes[nextKey] == FAILED) {
        end(firstFailure);
        return;
      }
      int part = partOf[nextKey];
      int bytes = 0;
      do { // neighbours that are one server's are neighbours there, too
        bytes += valueBytes[nextKey++];
      } while (nextKey < keys && partOf[nextKey] == part && valueBytes[nextKey] >= 0);
      if (bytes > 0) {
        exchanges[part].moveBytes(bytes, whole, worker.loop());
        found = true;
      }
    }
    if (nextKey == keys && open == 0) {
      end(null);
    } else if (found
        && whole.heldBytes() >= ServerConnection.STREAM_FROM
        && client.isTurnOf(whole)) {
      client.advance();
    } else {
      Exchange of = whole;
      client.relieve(); // another part may be the one that is awaited now
      if (whole == of && client.isTurnOf(of)) {
        turn();
      }
    }
  }

  private void end(String failure) {
    ClientConnection by = client;
    Exchange of = whole;
    Rest next = rest;
    if (failure == null && next != null && next.hasMore()) {
      of.splitInto(next);
      dropParts();
      next.goesOn();
      return;
    }
    if (failure != null && !of.isCommitted()) {
      of.releasePieces();
    }
    if (failure == null && of.pieceCount() == 0 && !of.isCommitted()) {
      of.outcome(Outcome.MISS);
    }
    ByteBuf last = worker.loop().buffer(failure == null ? 8 : failure.length() + 2);
    last.writeCharSequence(failure == null ? "END\r\n" : failure + "\r\n", US_ASCII);
    of.splitInto(null);
    dropParts();
    if (next != null) {
      next.end();
    }
    by.answer(of, last);
  }

  @Override
  public void cancel() {
    Rest next = rest;
    dropParts();
    if (next != null) {
      next.end();
    }
  }

  private void dropParts() {
    for (int part = 0; part < parts; part++) {
      Exchange exchange = exchanges[part];
      if (exchange == null) {
        continue;
      }
      if (exchange.parts() != null) {
        exchange.parts().cancel();
      }
      worker.exchanges().give(exchange);
    }
    recycle();
  }
}
