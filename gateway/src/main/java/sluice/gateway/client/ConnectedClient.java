package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;
import sluice.gateway.dispatch.ClientSession;
import sluice.gateway.dispatch.Limiter;
import sluice.gateway.dispatch.UnsettledChange;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Changes;
import sluice.gateway.near.SingleFlight;
import sluice.gateway.request.InFlightWatcher;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LoopState;
import sluice.names.Command;

/**
 * Connected client, as seen by the reader of its dialect and by the code that executes its
 * requests. It has its replies, its server connections, and the conditions that its requests wait
 * for. Belongs to one event loop.
 *
 * <p>Longer than 400 lines because it is the facade of several parts: most methods delegate to one
 * of them, and are documented here.
 */
public final class ConnectedClient implements ClientSession {
  /** The longest value that is gathered instead of streamed, in bytes. */
  public static final int GATHER_LIMIT = 64 * 1024;

  public final LoopState loopState;

  private final ClientControl control;
  private final Loop loop;
  private final ListenerView listenerView;
  private final RingQueue<PendingReply> ring;
  private final BackPressure pressure;
  private final ReplyOrder replies;
  private final GatheredValue gathered;
  private final GatheredLine line;
  private final ExclusiveRequest exclusiveRequest;
  private final ServerAccess access;
  private final AwaitedRead awaitedRead;
  private final InFlightWatcher dropped = new Dropped();

  private boolean admitted; // whether the current request has been counted
  private boolean matched; // whether its keys have been counted for their rules

  /** Counts requests as in flight whose replies are dropped. */
  private final class Dropped implements InFlightWatcher {
    @Override
    public void begin(long what) {
      replies.owes(1);
    }

    @Override
    public void end(long what) {
      replies.owes(-1);
    }
  }

  ConnectedClient(
      ClientControl control, LoopState loopState, ListenerView listenerView, ClientParts parts) {
    this.control = control;
    this.loopState = loopState;
    this.listenerView = listenerView;
    loop = loopState.loop();
    ring = parts.ring();
    pressure = parts.pressure();
    replies = parts.replies();
    gathered = parts.gathered();
    line = parts.line();
    exclusiveRequest = parts.exclusiveRequest();
    access = parts.access();
    awaitedRead = new AwaitedRead(control, loop);
  }

  /** The channel, which has the client's addresses. */
  public Channel channel() {
    return control.channel();
  }

  @Override
  public void hold(long delta) {
    control.hold(delta);
  }

  /** The value that is being gathered. */
  public ValueSlices slices() {
    return gathered.slices();
  }

  /** The account of the line that arrives in parts. */
  public GatheredLine line() {
    return line;
  }

  /** Whether no request of the client is in flight. */
  public boolean hasNothingUnderWay() {
    return ring.isEmpty();
  }

  @Override
  public ByteBuf failureReply(PendingReply pending, String reason) {
    return control.failureReply(pending, reason);
  }

  // --- which requests pass ------------------------------------------------------------------

  /**
   * Whether the current request is over its rule's limit. It is counted once, even if it is
   * processed several times.
   */
  public boolean isOver(Limiter limiter) {
    if (admitted) {
      return false;
    }
    admitted = limiter.takes(1);
    return !admitted;
  }

  public boolean isAdmitted() {
    return admitted;
  }

  /** The request was counted, with all its keys. */
  public void admit() {
    admitted = true;
  }

  /** Whether the keys of the current request are to be counted for their rules: once only. */
  public boolean countsMatches() {
    boolean first = !matched;
    matched = true;
    return first;
  }

  /** The request is finished: another one follows. */
  public void nextRequest() {
    admitted = false;
    matched = false;
    listenerView.drawAgain();
    awaitedRead.nextRequest();
    access.nextRequest();
    changes(null, 0);
  }

  /**
   * Whether no reply has a reader any more: requests that change nothing are dropped. Otherwise a
   * client that requested large values without reading them would cost more after it left than
   * before.
   */
  public boolean wantsNoReplies() {
    return !control.wantsReplies();
  }

  /** A request was dropped, because its reply has no reader and it has no other effect. */
  public void unwanted(Command command) {
    control.costsLess();
    listenerView.metrics().request(command, Outcome.CLIENT_GONE);
  }

  /**
   * The current request may take long, because it is for a whole store or cache, or a login: other
   * clients come before the next one.
   */
  public void endsTurn() {
    control.endsTurn();
  }

  // --- reads of what others read -----------------------------------------------------------------

  @Override
  public boolean mayAwait() {
    return !awaitedRead.hasAwaited();
  }

  @Override
  public void awaits(SingleFlight read, long until) {
    awaitedRead.begin(read, until);
  }

  @Override
  public boolean hasAwaited() {
    return awaitedRead.hasAwaited();
  }

  @Override
  public boolean takeMissed() {
    return awaitedRead.takeMissed();
  }

  /**
   * The configuration has changed, and the current request is parsed again. It may have other
   * servers now, and waits for none of the former ones.
   */
  void configured() {
    boolean awaitsServer = control.isPausedFor(ClientControl.SERVER);
    access.configured();
    awaitedRead.configured();
    if (awaitsServer) {
      control.goOnFrom(ClientControl.SERVER);
    }
  }

  /** Ends a wait for another client's read that has lasted too long. */
  void sweepAwaitedRead() {
    awaitedRead.sweep();
  }

  // --- where requests go --------------------------------------------------------------------

  @Override
  public @Nullable String failure() {
    return access.failure();
  }

  @Override
  public @Nullable ServerConnection connectionTo(Server server) {
    return access.connectionTo(server);
  }

  @Override
  public @Nullable ServerConnection readyConnectionTo(Server server) {
    return access.readyConnectionTo(server);
  }

  @Override
  public boolean overtakes(PendingReply request, ServerConnection connection) {
    return access.order().overtakes(request, connection);
  }

  @Override
  public boolean fallsBehindChange(PendingReply request, ServerConnection connection) {
    return access.order().fallsBehindChange(request, connection);
  }

  @Override
  public void lags(UnsettledChange change) {
    access.order().lags(change);
  }

  @Override
  public void lagsNoMore(UnsettledChange change) {
    access.order().lagsNoMore(change);
    if (control.isPausedFor(ClientControl.BARRIER)) {
      advance();
    }
  }

  /**
   * Whether a change was answered that the server of connection has not made yet, on another
   * connection.
   */
  public boolean lagsOn(ServerConnection connection) {
    return access.order().lagsOn(connection);
  }

  /**
   * Whether a request that takes much memory waits for some, behind earlier ones. A single one
   * never waits, because otherwise there might be no progress at all.
   */
  public boolean lacksMemory() {
    if (ring.isEmpty() || !loop.memory().isTight()) {
      return false;
    }
    control.pauseForMemory();
    return true;
  }

  @Override
  public boolean waitsFor(PendingReply pending) {
    if (replies.isChangedBehind(pending)) {
      return false;
    }
    control.pauseFor(ClientControl.BARRIER);
    return true;
  }

  @Override
  public void waitsForAll() {
    control.pauseFor(ClientControl.BARRIER);
  }

  @Override
  public void assembles() {
    control.pauseFor(ClientControl.BARRIER);
    resumeServers();
  }

  @Override
  public void holdAssembled(long delta) {
    pressure.holdAssembled(delta);
  }

  /** Whether no request is in flight; otherwise waits until that is so. */
  public boolean isAlone() {
    if (ring.isEmpty()) {
      return true;
    }
    control.pauseFor(ClientControl.BARRIER);
    return false;
  }

  /**
   * Whether all servers have executed the changes that the client has an answer to; otherwise waits
   * until that is so.
   */
  private boolean hasSettledChanges() {
    if (!access.order().lags()) {
      return true;
    }
    control.pauseFor(ClientControl.BARRIER);
    return false;
  }

  /**
   * Whether no request is in flight and all answered changes have settled; otherwise waits until
   * that is so. Only then may a request use another connection than the client's earlier ones.
   */
  public boolean isAloneAndSettled() {
    return isAlone() && hasSettledChanges();
  }

  // --- sending ------------------------------------------------------------------------------

  /**
   * Forwards the bytes [from, to) of in unchanged to connection, which expects {@code pending}'s
   * reply. Borrows in.
   */
  public void forward(
      PendingReply pending, ByteBuf in, int from, int to, ServerConnection connection) {
    loopState.forwarded().add(pending, in, from, to, connection);
  }

  @Override
  public void flushRun() {
    loopState.forwarded().flush();
  }

  @Override
  public void sendAlone(
      Server server, PendingReply pending, ByteBuf head, int body, boolean closes, LineEnd ending) {
    if (body > 0) {
      lasts(pending);
    }
    exclusiveRequest.begin(server, pending, head, body, closes, ending);
  }

  @Override
  public void lasts(PendingReply change) {
    if (change.guard() == null) {
      change.guard(listenerView.lastingChanges(), Changes.EVERYTHING);
    }
  }

  @Override
  public void run(Runnable task) {
    control.run(task);
  }

  @Override
  public void later(Runnable task) {
    control.later(task);
  }

  /**
   * Continues a request that takes several steps, once the event loop has handled its other
   * sockets. An error in task ends the connection.
   */
  public void afterOthers(Runnable task) {
    control.afterOthers(task);
  }

  /** The current request reads that many keys: the more, the sooner other clients have a turn. */
  public void readsKeys(int keys) {
    control.costsKeys(keys);
  }

  /**
   * A store has copied that many bytes of an old value for the current request: the more, the
   * sooner other clients have a turn.
   */
  public void copied(int bytes) {
    control.costsBytes(bytes);
  }

  /**
   * Begins to gather a value of this length, as soon as memory for all of it is reserved. Where
   * replies may take memory of the same kind, that is once they are answered.
   */
  public void makeRoom(int length) {
    if (!ring.isEmpty() && listenerView.splits()) {
      gathered.beginBehindReplies(length);
    } else {
      gathered.begin(length);
    }
  }

  // --- replies ------------------------------------------------------------------------------

  @Override
  public PendingReply newReply(Command command, ReplyKind kind, Suppression suppression) {
    return replies.add(command, kind, suppression);
  }

  /** Sets the length of the value in the next new reply's request. */
  public void writes(int valueBytes) {
    replies.writes(valueBytes);
  }

  /**
   * The current request changes something: near caches are notified until its pending reply is
   * released.
   *
   * @param concerned null if it affects no cache
   * @param what as in {@link Changes}
   */
  public void changes(@Nullable Changes concerned, long what) {
    replies.changes(concerned, what);
  }

  @Override
  public void owes(int more) {
    replies.owes(more);
  }

  /**
   * The reply of a subrequest that a server has is not waited for any more. It counts as in flight
   * until its server has settled it.
   */
  public void drops(PendingReply subrequest) {
    subrequest.guard(dropped, 0);
  }

  /**
   * Answers a request without a server, in its order. Consumes reply; empty or null for silence.
   */
  @Override
  public void answer(Command command, Outcome outcome, @Nullable ByteBuf reply) {
    answer(command, outcome, null, reply);
  }

  /** As {@link #answer(Command, Outcome, ByteBuf)}, with a reply in two buffers. Consumes both. */
  public void answer(
      Command command, Outcome outcome, @Nullable ByteBuf head, @Nullable ByteBuf rest) {
    PendingReply pending = newReply(command, ReplyKind.LINE, Suppression.NOTHING);
    pending.outcome(outcome);
    if (head != null) {
      pending.hold(head);
    }
    answer(pending, rest);
  }

  @Override
  public void answer(PendingReply pending, @Nullable ByteBuf reply) {
    replies.answer(pending, reply);
  }

  @Override
  public void fail(PendingReply pending, String reason) {
    replies.fail(pending, reason);
  }

  /** Takes no more requests, and closes when earlier ones are answered. */
  public void end() {
    replies.end();
  }

  @Override
  public boolean isTurnOf(PendingReply pending) {
    return replies.isTurnOf(pending);
  }

  @Override
  public boolean needsNext(PendingReply pending) {
    return replies.needsNext(pending);
  }

  @Override
  public void reply(ByteBuf bytes) {
    replies.write(bytes);
  }

  @Override
  public void reply(ByteBuf source, int from, int length) {
    replies.write(source, from, length);
  }

  @Override
  public void replyCopy(ByteBuf source, int from, int length) {
    replies.writeCopy(source, from, length);
  }

  @Override
  public boolean completed(PendingReply pending) {
    return replies.completed();
  }

  @Override
  public void advance() {
    replies.advance();
  }

  @Override
  public void abandon(String reason) {
    replies.abandon(reason);
  }

  // --- back-pressure ------------------------------------------------------------------------

  @Override
  public void holdValue(long delta) {
    pressure.holdValue(delta);
  }

  @Override
  public boolean isFull(boolean next) {
    return pressure.isFull(next);
  }

  @Override
  public boolean isBehind() {
    return pressure.isBehind();
  }

  @Override
  public boolean pauses(Resumable server) {
    return pressure.add(server);
  }

  @Override
  public boolean holdsUp(Resumable server) {
    return pressure.holdsUp(server);
  }

  /** Resumes the servers that no longer need to wait for the client. */
  public void resumeServers() {
    pressure.resumeServers();
  }
}
