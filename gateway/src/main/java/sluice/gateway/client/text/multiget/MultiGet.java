package sluice.gateway.client.text.multiget;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.KeyHash;
import sluice.codecs.memcached.text.TextLine;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.text.request.RepeatableReads;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.Aggregator;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.TextErrors;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LoopState;

/**
 * Get of keys on several servers: one request to each, sent at the same time, whose values are
 * combined in the requested order. A server answers in the order of its requests, which is the
 * client's. So the next value is always the first of its subrequest's reply, and only its length
 * must be known.
 *
 * <p>A get of more keys than one instance takes is continued by a {@link RestOfMultiGet} when these
 * are answered. Pooled by its event loop, which accounts for its heap.
 */
public final class MultiGet implements Aggregator {
  private static final int BYTES = 256;

  /** Bytes of a subrequest's line besides its share of the keys: its command, and tolerance. */
  private static final int SPARE = 64;

  /** Pool of multi-gets, which takes them back after their last use. */
  interface Home {
    void give(MultiGet free);
  }

  private final Home home;
  private final LoopState loopState;
  private final Dispatcher dispatcher;
  private final MultiGetKeys keys;
  private final MultiGetPlan plan;
  private ConnectedClient client; // as whole, null in the pool
  private PendingReply whole;
  private int open; // subrequests without an answer
  private @Nullable String firstFailure;
  private boolean sending;
  private long started;
  private @Nullable RestOfMultiGet rest; // continuation behind these keys; null if there is none

  @SuppressWarnings("NullAway.Init") // begin sets the client and its pending reply
  MultiGet(Home home, LoopState loopState, Dispatcher dispatcher) {
    this.home = home;
    this.loopState = loopState;
    this.dispatcher = dispatcher;
    keys = new MultiGetKeys(loopState.loop().memory());
    plan = new MultiGetPlan(loopState.loop(), dispatcher, keys);
    loopState.loop().memory().addObjects(BYTES);
  }

  /** Ends its use. */
  void drop() {
    keys.drop();
    plan.drop();
    loopState.loop().memory().addObjects(-BYTES);
  }

  /** The keys and their sources. */
  public MultiGetPlan plan() {
    return plan;
  }

  /** Gives this back to its loop. */
  @SuppressWarnings("NullAway") // only one in the pool has no client
  public void recycle() {
    plan.clear();
    client = null;
    whole = null;
    open = 0;
    firstFailure = null;
    rest = null;
    home.give(this);
  }

  // --- sending ----------------------------------------------------------------------------------

  /**
   * Begins with the subrequests that need no server: those of embedded stores.
   *
   * @param of the client's pending reply
   * @param since when its requests count as begun
   * @return number of keys requested: the others are left out if stores return much
   */
  public int begin(ConnectedClient by, PendingReply of, TextRequest request, long since) {
    client = by;
    whole = of;
    started = since;
    for (int key = 0; key < keys.count(); key++) {
      MultiGetSubrequest subrequest = plan.subrequest(keys.subrequestOf(key));
      EmbeddedSession store = subrequest.store();
      if (store != null) {
        if (subrequest.pending == null) {
          begin(keys.subrequestOf(key), request);
        }
        int bytes = subrequest.readStore(store, request, key, loopState.loop());
        keys.answered(key, bytes);
        plan.found(Math.max(0, bytes));
        if (plan.hasFoundMuch() && key + 1 < keys.count()) {
          plan.leaveOut(key + 1);
        }
      }
    }
    return keys.count();
  }

  /**
   * Sends each subrequest, unless it is known that one fails, and with it the read.
   *
   * @param next continuation when all are answered; null if there is none
   */
  public void send(TextRequest request, @Nullable RestOfMultiGet next) {
    rest = next;
    whole.splitInto(this);
    String known = plan.failure();
    if (known != null && !whole.isCommitted()) {
      whole.outcome(Outcome.SERVER_DOWN);
      end(TextErrors.SERVER_ERROR + known); // the other servers would work for nothing
      return;
    }
    open = plan.subrequests();
    sending = true;
    for (int subrequest = 0; subrequest < plan.subrequests(); subrequest++) {
      if (plan.subrequest(subrequest).pending == null) {
        begin(subrequest, request);
      }
    }
    for (int key = 0; key < keys.count(); key++) {
      ask(plan.subrequest(keys.subrequestOf(key)), key, request);
    }
    for (int subrequest = 0; subrequest < plan.subrequests(); subrequest++) {
      finish(plan.subrequest(subrequest), request);
    }
    sending = false;
    merge();
  }

  private void begin(int number, TextRequest request) {
    MultiGetSubrequest subrequest = plan.subrequest(number);
    PendingReply pending =
        loopState
            .requestPool()
            .take()
            .start(client, whole.command(), ReplyKind.VALUES, Suppression.NOTHING, started);
    pending.subrequestOf(this, number);
    pending.rewrite(subrequest.rewrite);
    subrequest.pending = pending;
    if (subrequest.connection != null) {
      TextLine line = request.line;
      int firstKey = request.firstKey();
      int all = line.end(firstKey + keys.count() - 1) - line.start(firstKey);
      subrequest.beginLine(
          request, loopState.loop().buffer(all * 5 / 4 / plan.subrequests() + SPARE));
    }
  }

  /** Adds a key to the request of a subrequest, unless its value was found. */
  private void ask(MultiGetSubrequest subrequest, int key, TextRequest request) {
    ByteBuf found = subrequest.found;
    ByteBuf asked = subrequest.line;
    if (found != null) {
      keys.answered(key, found.readableBytes());
      subrequest.pending().hold(found);
      subrequest.found = null;
    } else if (asked != null) {
      TextLine line = request.line;
      int from = line.start(request.firstKey() + key);
      int to = line.end(request.firstKey() + key);
      ByteBuf out = asked.writeByte(' ');
      int start = out.writerIndex();
      KeyRewrite rewrite = subrequest.rewrite;
      if (rewrite == null) {
        Bytes.append(line.buffer(), from, to - from, out);
      } else {
        rewrite.toServer(line.buffer(), from, to, out);
      }
      subrequest.pending().sent().addKey(KeyHash.of(out, start, out.writerIndex()));
    }
  }

  private void finish(MultiGetSubrequest subrequest, TextRequest request) {
    PendingReply pending = subrequest.pending();
    RequestContext context = subrequest.takeContext();
    ServerConnection connection = subrequest.connection;
    if (context != null) {
      send(subrequest, context);
    } else if (connection != null) {
      ByteBuf asked = subrequest.takeLine().writeShort('\r' << 8 | '\n');
      connection.expect(pending);
      if (RepeatableReads.include(request)) {
        connection.mayRepeat(pending, asked, 0, asked.writerIndex());
      }
      connection.write(asked);
    } else {
      pending.complete();
      subrequestCompleted(pending, subrequest.isAnswered() ? null : subrequest.failure);
    }
  }

  /** Sends a subrequest of one key in canonical form. Consumes context. */
  private void send(MultiGetSubrequest subrequest, RequestContext context) {
    PendingReply pending = subrequest.pending();
    String failure = context.members().failure;
    ByteBuf refused = null;
    if (failure == null) {
      context.sentAs(pending);
      refused = subrequest.backend().send(context);
    }
    dispatcher.give(context);
    if (refused != null) {
      subrequest.failure = refused.toString(ISO_8859_1).stripTrailing();
      refused.release();
    }
    if (failure != null || refused != null) {
      pending.complete();
      subrequestCompleted(pending, failure);
    }
  }

  @Override
  public @Nullable PendingReply whole() {
    return whole;
  }

  // --- gathering --------------------------------------------------------------------------------

  @Override
  public void value(PendingReply pending, int key, int bytes) {
    keys.value(pending.subrequestNumber(), key, bytes);
  }

  @Override
  public void arrived(PendingReply pending) {
    if (keys.isNextKnown()) {
      merge();
    } // otherwise all wait for another value
  }

  @Override
  public boolean awaits(PendingReply subrequest) {
    return keys.areAnswered() || plan.subrequest(keys.nextSubrequest()).pending == subrequest;
  }

  /** The subrequest of the next value; null if none is awaited. */
  private @Nullable PendingReply nextSubrequest() {
    return sending || keys.areAnswered() ? null : plan.subrequest(keys.nextSubrequest()).pending;
  }

  @Override
  public boolean isTurnOf(PendingReply subrequest) {
    return nextSubrequest() == subrequest && client.isTurnOf(whole);
  }

  @Override
  public void turn() {
    PendingReply next = nextSubrequest();
    if (next != null && next.subrequests() != null) {
      next.subrequests().turn();
    }
  }

  @Override
  public boolean isAssembling() {
    PendingReply next = nextSubrequest();
    return next != null && next.subrequests() != null && next.subrequests().isAssembling();
  }

  @Override
  public void errorLine(PendingReply pending, String line) {
    plan.subrequest(pending.subrequestNumber()).failure = line;
  }

  @Override
  public void subrequestCompleted(PendingReply pending, @Nullable String failure) {
    int number = pending.subrequestNumber();
    MultiGetSubrequest subrequest = plan.subrequest(number);
    open--;
    String why = failure != null ? TextErrors.SERVER_ERROR + failure : subrequest.failure;
    if (why == null || subrequest.pool.missOnFailure()) {
      keys.settle(number, MultiGetKeys.ALL, MultiGetKeys.MISSED);
    } else {
      if (firstFailure == null) {
        firstFailure = why;
        if (failure != null) {
          whole.fails();
        } else {
          whole.outcome(Outcome.ERROR);
        }
      }
      keys.settle(number, MultiGetKeys.ALL, MultiGetKeys.FAILED);
    }
    merge();
  }

  /** Moves known values, in the requested order, to the client's pending reply. */
  private void merge() {
    if (sending) {
      return;
    }
    if (firstFailure != null && !whole.isCommitted()) {
      end(firstFailure);
      return;
    }
    boolean found = false;
    while (keys.isNextKnown()) {
      if (keys.hasNextFailed()) {
        end(firstFailure);
        return;
      }
      PendingReply subrequest = plan.subrequest(keys.nextSubrequest()).pending();
      int bytes = keys.takeNext();
      if (bytes > 0) {
        subrequest.moveBytes(bytes, whole, loopState.loop());
        found = true;
      }
    }
    if (keys.areAnswered() && open == 0) {
      end(null);
    } else if (found
        && whole.heldBytes() >= ServerConnection.STREAM_FROM
        && client.isTurnOf(whole)) {
      client.advance();
    } else {
      PendingReply of = whole;
      client.resumeServers(); // another subrequest may be the next in order now
      if (whole == of && client.isTurnOf(of)) {
        turn();
      }
    }
  }

  private void end(@Nullable String failure) {
    ConnectedClient by = client;
    PendingReply of = whole;
    RestOfMultiGet next = rest;
    if (failure == null && next != null && next.hasMore()) {
      of.splitInto(next);
      of.askServers(loopState.loop().now());
      dropSubrequests();
      next.goesOn();
      return;
    }
    if (failure != null && !of.isCommitted()) {
      of.releaseSlices();
    }
    if (failure == null && of.sliceCount() == 0 && !of.isCommitted()) {
      of.outcome(Outcome.MISS);
    }
    ByteBuf last = loopState.loop().buffer(failure == null ? 8 : failure.length() + 2);
    last.writeCharSequence(failure == null ? "END\r\n" : failure + "\r\n", US_ASCII);
    of.splitInto(null);
    if (failure != null) {
      plan.owe(by, of);
    }
    dropSubrequests();
    if (next != null) {
      next.end();
    }
    by.answer(of, last);
  }

  @Override
  public long progress() {
    return plan.progress() + (rest == null ? 0 : rest.progress());
  }

  @Override
  public void cancel() {
    RestOfMultiGet next = rest;
    dropSubrequests();
    if (next != null) {
      next.end();
    }
  }

  private void dropSubrequests() {
    plan.dropReplies(loopState.requestPool());
    recycle();
  }
}
