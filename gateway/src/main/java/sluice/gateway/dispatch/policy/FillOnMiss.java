package sluice.gateway.dispatch.policy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Exptime;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.gateway.dispatch.ClientSession;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.PoolBackend;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.RequestSender;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.Aggregator;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerWaiter;
import sluice.gateway.server.ServerWaits;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LoopState;
import sluice.gateway.time.Clocks;
import sluice.gateway.values.ValueWork;
import sluice.names.Dialect;

/**
 * Request to a cold pool that is filled from a warm one. After a miss, it reads the item from the
 * warm pool, with its flags and time to live, adds it to the cold pool, and repeats the request
 * there. If a step fails, the answer is the miss. The same holds if the warm pool's item is stale,
 * or empty and waiting for a client to write it. A counter is created only if neither pool has it;
 * if that fails, the answer is the error. One instance for each request, on its event loop.
 */
final class FillOnMiss implements Aggregator, ServerWaiter {
  /** Current or next step. */
  private enum Step {
    ASK,
    READ_WARM,
    ADD,
    ASK_AGAIN,
    DONE
  }

  /** Receiver of the warm pool's reply, which is written in no dialect. */
  private static final class Taken implements ReplyWriter {
    private int flags;
    private long ttl;
    private boolean isBeingReplaced; // stale, or a client is to write it

    @Override
    public void write(Reply reply, Awaited awaited, ByteBuf out) {
      flags = reply.flags;
      ttl = reply.ttl;
      isBeingReplaced = reply.hasStates();
    }

    @Override
    public void endValue(Awaited awaited, ByteBuf out) {} // nothing is written
  }

  private static final int BYTES = 320; // of heap, about, besides the key and the request
  private final LoopState loopState;
  private final RequestSender sender;
  private final RequestContext.Recycler contexts;
  private final ClientSession client;
  private final PoolBackend cold;
  private final PoolBackend warm;
  private final Dialect dialect;
  private final Taken taken = new Taken();
  private final byte[] key;
  private final byte[] asked; // the bytes that are sent again
  private final boolean creates;
  private @Nullable PendingReply whole; // null when it is answered
  private @Nullable PendingReply miss; // the first answer, until there is a better one
  private @Nullable PendingReply subrequest; // current or last request
  private Step step = Step.ASK;
  private boolean waits;
  private boolean waitsForTurn;
  private final ServerWaits serverWaits = new ServerWaits();

  /**
   * One request.
   *
   * @param context borrowed
   * @param whole the client's pending reply
   * @param key server key; not copied
   * @param asked bytes of the request that repeats the first one; not copied
   * @param creates whether that request creates a counter that neither pool has; the first does not
   */
  FillOnMiss(
      RequestContext context,
      PendingReply whole,
      PoolBackend cold,
      PoolBackend warm,
      byte[] key,
      byte[] asked,
      boolean creates) {
    this.sender = context.sender();
    this.contexts = context.contexts();
    this.loopState = sender.loopState();
    this.client = context.client();
    this.whole = whole;
    this.cold = cold;
    // what is read there is stored in the cold pool, whose readers rewrite it
    ValueWork work = warm.work();
    this.warm = new PoolBackend(warm.pool(), work == null ? null : work.withoutRewriting());
    this.dialect = context.dialect();
    this.key = key;
    this.asked = asked;
    this.creates = creates;
    whole.splitInto(this);
    loopState.loop().memory().addObjects(BYTES + key.length + asked.length);
    if (!whole.command().isRead()) {
      client.lasts(whole);
    }
    if (creates) {
      client.waitsForAll(); // it must be carried out before later changes, also after a miss
    }
  }

  /** Sends the request to the cold pool; its head is ready. Consumes head. */
  void begin(RequestContext context, ByteBuf head) {
    ServerConnection connection = context.connection();
    PendingReply first = subrequest(context.takeBridged(), whole().suppression());
    subrequest = first;
    client.flushRun();
    connection.expect(first);
    sender.mayRepeat(context, connection, first, head);
    connection.write(head);
  }

  private PendingReply subrequest(Bridged bridged, Suppression suppression) {
    PendingReply made = loopState.requestPool().take();
    PendingReply of = whole();
    made.start(client, of.command(), ReplyKind.BRIDGED, suppression, loopState.loop().now());
    made.binary(of.opcode(), of.opaque());
    made.subrequestOf(this, 0);
    made.bridge(bridged);
    return made;
  }

  /** The client's pending reply, until it is answered. */
  @Override
  @SuppressWarnings("NullAway") // no step is begun or answered after that
  public PendingReply whole() {
    return whole;
  }

  /** The last request, which was answered. */
  @SuppressWarnings("NullAway") // dropped only before another is sent
  private PendingReply answered() {
    return subrequest;
  }

  @Override
  public boolean isToldOfValues() {
    return false; // an error is the reply
  }

  @Override
  public void subrequestCompleted(PendingReply completed, @Nullable String why) {
    if (whole == null) {
      return;
    }
    boolean hit = why == null && completed.outcome() == Outcome.OK;
    switch (step) {
      case ASK -> {
        if (why == null && completed.outcome() == Outcome.MISS && client.waitsFor(whole)) {
          miss = completed;
          subrequest = null;
          next(Step.READ_WARM);
        } else {
          answer(why);
        }
      }
      case READ_WARM -> {
        if (hit && !taken.isBeingReplaced) {
          next(Step.ADD);
        } else if (creates && why == null && completed.outcome() == Outcome.MISS) {
          drop();
          next(Step.ASK_AGAIN); // neither pool has the counter
        } else {
          answerMiss();
        }
      }
      case ADD -> {
        if (creates && (why != null || completed.outcome() == Outcome.ERROR)) {
          answerMiss(); // otherwise the counter would begin anew
        } else {
          drop();
          next(Step.ASK_AGAIN);
        }
      }
      default -> {
        if (why == null || creates) {
          answer(why); // a counter may have been created, or not
        } else {
          answerMiss();
        }
      }
    }
  }

  /** Continues in a later loop iteration, because the caller may be in the middle of something. */
  private void next(Step following) {
    step = following;
    whole().askServers(loopState.loop().now());
    client.later(this::goOn);
  }

  private void goOn() {
    if (whole == null || waits) {
      return;
    }
    loopState.loop().tick();
    boolean toWarm = step == Step.READ_WARM;
    ByteBuf name = Unpooled.wrappedBuffer(key);
    Pool pool = (toWarm ? warm : cold).pool();
    Dialect spoken = step == Step.ASK_AGAIN ? dialect : Dialect.META;
    Server server = pool.server(pool.serverOf(name, 0, key.length), spoken);
    ServerConnection connection = client.readyConnectionTo(server);
    if (connection == null && server.unavailable() == null) {
      waits = true;
      serverWaits.begin(server, loopState.loop().now());
      server.await(this);
    } else if (connection == null) {
      answerMiss();
    } else if (toWarm && client.overtakes(whole, connection)) {
      serverWaits.clear();
      waitsForTurn = true; // the warm pool may still have an item that the client has deleted
    } else {
      serverWaits.clear(); // the next step may wait for the same server, for as long again
      switch (step) {
        case READ_WARM -> readWarm(connection, name);
        case ADD -> add(connection, name);
        default -> askAgain(connection);
      }
    }
  }

  private void readWarm(ServerConnection connection, ByteBuf name) {
    RequestContext context = contexts.take();
    Request request = context.request().clear(Operation.GET);
    request.key.set(name, 0, key.length);
    request.wants = Request.VALUE | Request.FLAGS | Request.TTL;
    send(context, connection, warm, taken);
  }

  private void add(ServerConnection connection, ByteBuf name) {
    RequestContext context = contexts.take();
    Request request = context.request().clear(Operation.ADD);
    request.key.set(name, 0, key.length);
    request.flags = taken.flags;
    request.timeToLive.set(Exptime.ofLeft(taken.ttl, Clocks.seconds()));
    answered().moveSlices(context.value());
    request.valueLength = context.value().length();
    drop();
    send(context, connection, cold, new Taken());
  }

  /**
   * Sends the request of context, and its value, in the servers' dialect. Gives the context back.
   */
  private void send(
      RequestContext context, ServerConnection connection, PoolBackend to, ReplyWriter replies) {
    context.begin(client, whole().command(), Dialect.META, replies, Suppression.NOTHING);
    to.adapt(context);
    ByteBuf head = to.head(context, connection);
    if (head == null) {
      contexts.give(context);
      if (creates && step == Step.READ_WARM) {
        next(Step.ASK_AGAIN); // that pool cannot be asked at all, so it never fills anything
      } else {
        answerMiss();
      }
      return;
    }
    PendingReply sent = subrequest(context.takeBridged(), Suppression.NOTHING);
    subrequest = sent;
    connection.expect(sent);
    RequestWriter writer = to.pool().writer(connection, Dialect.META);
    sender.write(context, connection, head, writer.endsValueWithLine());
    contexts.give(context);
  }

  /** Sends the request for the last time, with the opaque that the first one had. */
  @SuppressWarnings("NullAway") // the miss is kept until the answer, with what reads the reply
  private void askAgain(ServerConnection connection) {
    ByteBuf head = loopState.loop().buffer(asked.length).writeBytes(asked);
    PendingReply repeated = subrequest(miss.takeBridged(), whole().suppression());
    repeated.continueBy(miss.continuation());
    subrequest = repeated;
    connection.expect(repeated);
    connection.write(head);
  }

  private void drop() {
    if (subrequest != null) {
      loopState.requestPool().give(subrequest);
      subrequest = null;
    }
  }

  private void answerMiss() {
    drop();
    subrequest = miss;
    miss = null;
    answer(null);
  }

  /** Answers with the bytes of subrequest, or with a failure. */
  private void answer(@Nullable String failure) {
    step = Step.DONE;
    PendingReply of = whole();
    whole = null;
    ByteBuf reply = null;
    if (failure != null) {
      of.fails();
      reply = of.suppression() == Suppression.ALL ? null : client.failureReply(of, failure);
    } else {
      PendingReply by = answered();
      of.outcome(by.outcome());
      by.moveSlices(of);
    }
    of.splitInto(null);
    release();
    client.answer(of, reply);
  }

  private void release() {
    loopState.loop().memory().addObjects(-(BYTES + key.length + asked.length));
    drop();
    subrequest = miss;
    miss = null;
    drop();
  }

  @Override
  public boolean awaits(PendingReply of) {
    return true; // nothing is answered before the result is known
  }

  @Override
  public boolean isAssembling() {
    return step != Step.ASK;
  }

  @Override
  public long progress() {
    return subrequest == null ? 0 : subrequest.progress();
  }

  @Override
  public void cancel() {
    whole = null;
    step = Step.DONE;
    release();
  }

  @Override
  public void turn() {
    if (waitsForTurn && whole != null) {
      waitsForTurn = false;
      next(step);
    }
  }

  @Override
  public void serverChanged() {
    waits = false;
    if (whole != null) {
      client.run(this::goOn);
    }
  }

  @Override
  public void serverTooLate(String reason) {
    waits = false;
    if (whole != null) {
      answerMiss();
    }
  }

  @Override
  public long waitingSince() {
    return serverWaits.since();
  }
}
