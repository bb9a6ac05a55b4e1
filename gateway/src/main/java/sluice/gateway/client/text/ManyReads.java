package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.KeyHash;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.text.multiget.MultiGet;
import sluice.gateway.client.text.multiget.MultiGetPlan;
import sluice.gateway.client.text.request.RepeatableReads;
import sluice.gateway.client.text.request.RequestLine;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Changes;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;

/** Handler of classic reads of many keys, which may be on several servers. */
final class ManyReads {
  /** More keys than a line has. */
  private static final int ALL = Integer.MAX_VALUE;

  private final Loop loop;
  private final TextPools pools;
  private final TextRefusals refusals;
  private final UnreadableLines unreadable;
  private final TextBridged bridged;
  private final KeyPlanner planner;

  ManyReads(
      Loop loop,
      TextPools pools,
      TextRefusals refusals,
      UnreadableLines unreadable,
      TextBridged bridged) {
    this.loop = loop;
    this.pools = pools;
    this.refusals = refusals;
    this.unreadable = unreadable;
    this.bridged = bridged;
    planner = new KeyPlanner(bridged);
  }

  /** Handles a read of many keys; those kept are not too long. */
  void request(TextRequest request) {
    request.client().readsKeys(mostKeys(request));
    if (request.isNew() && !admits(request)) {
      return;
    }
    if (request.client().lacksMemory()) {
      return;
    }
    boolean counts = request.client().countsMatches() && !request.listenerView().countsRequests();
    if (request.line.isWhole()) {
      ask(request, counts);
    } else {
      askInTurn(request, counts ? 0 : ALL);
    }
  }

  /** The most keys that the line may have: each takes two bytes. */
  private static int mostKeys(TextRequest request) {
    return request.line.isWhole()
        ? request.line.count() - request.firstKey()
        : request.length() / 2;
  }

  /** Whether all keys may be requested; otherwise the request is answered. */
  private boolean admits(TextRequest request) {
    boolean refused =
        request.line.isWhole() ? refusals.refusedAsMany(request) : refusedInParts(request);
    if (!refused) {
      request.admitted();
    }
    return !refused;
  }

  /**
   * Requests the line's keys at once, if they are not too many.
   *
   * @param counts whether to count the keys for their rules
   */
  private void ask(TextRequest request, boolean counts) {
    MultiGet multiGet = pools.multiGets().take();
    MultiGetPlan plan = multiGet.plan().begin(request);
    for (int token = request.firstKey(); token < request.line.count(); token++) {
      if (plan.isFull()) {
        multiGet.recycle();
        askInTurn(request, counts ? token - request.firstKey() : ALL);
        return;
      }
      TextRouting.findOne(request, token);
      if (counts) {
        TextRouting.count(request);
      }
      if (refusals.refusesOne(request)) {
        multiGet.recycle();
        countBehind(request, token, counts);
        refusals.refusedOne(request);
        return;
      }
      switch (planner.planOne(plan, request, token, request.client())) {
        case WAITS -> {
          multiGet.recycle();
          countBehind(request, token, counts);
          return;
        }
        case WRONG -> {
          multiGet.recycle();
          countBehind(request, token, counts);
          refusals.answer(request, Outcome.PROTOCOL_ERROR, false, errorIn(request, token));
          return;
        }
        case ADDED -> {}
      }
    }
    Server server = plan.serverOfAll();
    if (server != null && passes(request)) {
      multiGet.recycle();
      askOne(request, server);
    } else {
      askSeveral(request, multiGet);
    }
  }

  /** Counts the keys behind a token, if that is asked for. The token's key is the current one. */
  private static void countBehind(TextRequest request, int token, boolean counts) {
    if (counts) {
      for (int i = token + 1; i < request.line.count(); i++) {
        TextRouting.findOne(request, i);
        TextRouting.count(request);
      }
      TextRouting.findOne(request, token);
    }
  }

  /** The error line for a line whose key in a token was found invalid. */
  @SuppressWarnings("NullAway") // read once more, it has the same error
  private String errorIn(TextRequest request, int token) {
    return bridged.errorIn(request, token);
  }

  /** Whether the line is short enough: servers close connections for long lines. */
  private static boolean passes(TextRequest request) {
    return !request.isTouchingRead() || request.length() <= RequestLine.MAX_SENT;
  }

  /** Forwards the read to the one server that has all keys, none of them rewritten. */
  private void askOne(TextRequest request, Server server) {
    ConnectedClient client = request.client();
    ServerConnection connection = client.connectionTo(server);
    if (connection == null) {
      refusals.failUnlessWaiting(request, 0);
      return;
    }
    if (TextRouting.isRefusedBy(connection, request)) {
      refusals.refuseFor(connection, request, 0);
      return;
    }
    PendingReply pending =
        client.newReply(request.command(), ReplyKind.VALUES, Suppression.NOTHING);
    TextLine line = request.line;
    for (int token = request.firstKey(); token < line.count(); token++) {
      pending.sent().addKey(KeyHash.of(line.buffer(), line.start(token), line.end(token)));
    }
    boolean repeats = RepeatableReads.include(request);
    if (request.isReadToForward()) {
      client.forward(pending, request.buffer(), request.from(), request.next(), connection);
      if (repeats) {
        connection.mayRepeat(pending, request.buffer(), request.from(), request.next());
      }
    } else {
      ByteBuf changed = loop.buffer(request.length() + RequestLine.SPARE);
      RequestLine.writeRead(request.keyed, request.command(), line, request.firstKey(), changed);
      client.flushRun();
      connection.expect(pending);
      if (repeats) {
        connection.mayRepeat(pending, changed, 0, changed.writerIndex());
      }
      connection.write(changed);
    }
    request.reader().lineDone();
  }

  private void askSeveral(TextRequest request, MultiGet multiGet) {
    ConnectedClient client = request.client();
    MultiGetPlan plan = multiGet.plan();
    boolean foreign = false;
    for (int subrequest = 0; subrequest < plan.subrequests(); subrequest++) {
      ServerConnection connection = plan.connection(subrequest);
      Server server = plan.server(subrequest);
      if (server != null) {
        connection = client.connectionTo(server);
        if (connection == null && client.failure() == null) {
          multiGet.recycle();
          return;
        }
        plan.connect(subrequest, connection, client.failure());
      }
      if (connection != null
          && TextRouting.isOneRefusedBy(connection, request, plan.isPacket(subrequest))) {
        multiGet.recycle();
        refusals.refuseFor(connection, request, 0);
        return;
      }
      foreign |= connection != null && connection.version().isForeign();
    }
    ServerConnection refusing = foreign ? refusing(plan, request) : null;
    if (refusing != null) {
      multiGet.recycle();
      refusals.refuseFor(refusing, request, 0);
      return;
    }
    PendingReply whole = client.newReply(request.command(), ReplyKind.VALUES, Suppression.NOTHING);
    client.flushRun();
    int asked = multiGet.begin(client, whole, request, whole.started());
    int left = request.firstKey() + asked;
    LongGet rest =
        left < request.line.count() ? rest(request, whole, request.line.start(left)) : null;
    multiGet.send(request, rest);
    request.reader().lineDone();
  }

  /** The connection of a server that does not take a key that it has; null if there is none. */
  private static @Nullable ServerConnection refusing(MultiGetPlan plan, TextRequest request) {
    for (int key = 0; key < plan.keys(); key++) {
      ServerConnection connection = plan.connectionOf(key);
      if (connection != null
          && TextRouting.isKeyRefusedBy(connection, request, request.firstKey() + key)) {
        return connection;
      }
    }
    return null;
  }

  // --- of more keys than are asked for at once --------------------------------------------------

  /** As {@link #admits}, for a line whose first tokens alone are kept. */
  private boolean refusedInParts(TextRequest request) {
    TextLine line = request.line;
    if (line.hasNul()) { // some of its servers may end the line there
      refusals.refuseLongKey(request, 0);
      return true;
    }
    int end = line.lineEnd();
    int prefix = line.end(request.firstKey() - 1);
    int first = line.start(request.firstKey());
    for (int at = first; at < end; ) {
      at = readPart(request, prefix, at, end);
      if (request.hasLongKey()) {
        line.wrap(request.buffer(), request.from(), end);
        unreadable.wrongRead(request);
        return true;
      }
    }
    if (request.listenerView().countsRequests()) {
      for (int at = first; at < end; ) {
        at = readPart(request, prefix, at, end);
        refusals.wantMany(request);
      }
      if (refusals.refusedAsWanted(request)) {
        return true;
      }
    }
    line.wrap(request.buffer(), request.from(), end);
    return false;
  }

  /**
   * Reads the line's tokens up to prefix, and keys from an index on; returns the index where it
   * ended.
   */
  private static int readPart(TextRequest request, int prefix, int at, int end) {
    return request
        .line
        .wrap(request.buffer(), request.from(), prefix)
        .readOn(at, end, TextLine.MOST_TOKENS);
  }

  /**
   * Requests the keys subrequest by subrequest. The line may show only its first tokens.
   *
   * @param counted keys that were counted for their rules
   */
  private void askInTurn(TextRequest request, int counted) {
    TextLine line = request.line;
    if (line.hasNul()) { // some of its servers may end the line there
      refusals.refuseLongKey(request, 0);
      return;
    }
    int end = line.lineEnd();
    int prefix = line.end(request.firstKey() - 1);
    int first = line.start(request.firstKey());
    boolean changes = false;
    int keys = 0;
    for (int at = first; at < end; ) {
      at = readPart(request, prefix, at, end);
      for (int token = request.firstKey(); token < line.count(); token++) {
        TextRouting.findOne(request, token);
        if (keys++ >= counted) {
          TextRouting.count(request);
        }
        if (refusals.refusedOne(request)) {
          return;
        }
        changes |= TextRouting.changesNear(request) != null;
      }
    }
    ConnectedClient client = request.client();
    client.changes(changes ? request.listenerView().allChanges() : null, Changes.SEVERAL);
    PendingReply whole = client.newReply(request.command(), ReplyKind.VALUES, Suppression.NOTHING);
    client.flushRun();
    line.wrap(request.buffer(), request.from(), prefix).readOn(first, end, request.firstKey() + 1);
    rest(request, whole, first).start();
    request.reader().lineDone();
  }

  /** Continuation of the line's keys from an index on. */
  private LongGet rest(TextRequest request, PendingReply whole, int at) {
    TextLine line = request.line;
    int from = line.start(0);
    int prefix = line.end(request.firstKey() - 1) - from;
    ByteBuf kept = loop.slice(line.buffer(), from, line.lineEnd() - from);
    return new LongGet(request.reader(), pools, planner, whole, kept, prefix, at - from);
  }
}
