package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.dispatch.ClientSession;
import sluice.gateway.dispatch.Limiter;
import sluice.gateway.dispatch.UnsettledChange;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Exchange.Requester;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.RingQueue;
import sluice.gateway.listener.Listening;
import sluice.gateway.loop.Connection;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.DropReason;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Changes;
import sluice.gateway.near.Flight;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LoopClient;
import sluice.gateway.session.Worker;
import sluice.gateway.tls.TlsException;
import sluice.names.Command;

/**
 * Connection of a client: requests are read in order, sent as the route requires, and answered in
 * order.
 *
 * <p>Received bytes stay in the buffers they arrived in. Adjacent requests to the same server
 * connection that need no change leave as one slice. Reading is paused, for one or more {@linkplain
 * ClientControl reasons}, whenever a request cannot be sent on; bytes that were already read are
 * kept and processed when the reason is gone.
 *
 * <p>Longer than 400 lines because it is where a client's parts meet: most methods delegate to one
 * of them, and have their contract here.
 */
public abstract class ClientConnection extends Connection implements LoopClient, ClientSession {
  /** The longest value that is gathered instead of streamed, in bytes. */
  public static final int GATHER_LIMIT = 64 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

  /**
   * Cost of a client's requests after which the event loop turns to its other clients, so that a
   * client with many requests at once does not block the loop.
   */
  private static final int COST_IN_ONE_GO = 4096;

  private static final int COST_OF_REQUEST = 16;

  /** Cost of a request that is only parsed, because its reply has no reader. */
  private static final int COST_OF_UNWANTED = 1;

  /**
   * While memory is short, a client may be read as long as it has no more than these bytes
   * buffered.
   */
  private static final int LEAST_SHARE = 16 * 1024;

  /**
   * While memory is short, the most bytes that are kept of requests sent before the client closed.
   */
  private static final int MOST_CLOSED_INPUT = 256 * 1024;

  public final Worker worker;

  /** The first part of a value that must be complete before it is processed. */
  protected final Pieces pieces;

  protected final Listening listening;
  protected final RingQueue<Exchange> ring = new RingQueue<>();

  private final Control control = new Control();
  private final BackPressure pressure;
  private final ReplyOrder replies;
  private final ClientInput input;
  private final GatheredValue gathered;
  private final LentRequest lentRequest;
  private final ServerAccess access;
  private final Overdue overdue = new Overdue();
  private final Lifetime lifetime;
  private final Departure departure = new Departure();
  private final Runnable takesMore = this::outputTaken;

  private boolean processing;
  private int costLeft; // rest of the cost before other clients' turn
  private boolean awaited; // whether the current request has waited for another
  private boolean missed; // which was a miss
  private boolean admitted; // whether the current request has been counted

  protected ClientConnection(Worker worker, Listening listening) {
    super(worker.loop(), listening.limits().outBufferBytes());
    this.worker = worker;
    this.listening = listening;
    pressure = new BackPressure(control, this, worker.stalled(), listening, loop, this::isJoining);
    replies = new ReplyOrder(control, loop, worker.exchanges(), listening, pressure, ring);
    input = new ClientInput(loop);
    gathered = new GatheredValue(control, pressure, worker.valueMemory(), loop);
    pieces = gathered.pieces();
    lentRequest = new LentRequest(control, replies, pressure, worker.valueMemory(), loop);
    access = new ServerAccess(control, loop, worker.add(this), ring, lentRequest);
    lifetime = new Lifetime(loop, listening.limits());
  }

  /** View of this connection for its parts. */
  private final class Control implements ClientControl {
    @Override
    public void pauseFor(int reason) {
      pause(reason);
    }

    @Override
    public void resumeFrom(int reason) {
      resume(reason);
    }

    @Override
    public void goOnFrom(int reason) {
      lifetime.heard();
      resume(reason);
      ClientConnection.this.process();
    }

    @Override
    public boolean isPausedForAny() {
      return isPaused();
    }

    @Override
    public boolean isPausedFor(int reason) {
      return isPaused(reason);
    }

    @Override
    public void process() {
      ClientConnection.this.process();
    }

    @Override
    public void waitFor(Server server) {
      access.await(server);
    }

    @Override
    public Requester requester() {
      return ClientConnection.this;
    }

    @Override
    public Channel channel() {
      return ClientConnection.this.channel();
    }

    @Override
    public boolean lives() {
      return isOpen() || departure.isGone();
    }

    @Override
    public boolean takesReplies() {
      return isOpen() && !isDeaf();
    }

    @Override
    public void write(ByteBuf bytes) {
      ClientConnection.this.write(bytes);
    }

    @Override
    public void write(ByteBuf source, int from, int length) {
      ClientConnection.this.write(source, from, length);
    }

    @Override
    public long pendingBytes() {
      return ClientConnection.this.pendingBytes();
    }

    @Override
    public long takenBytes() {
      return ClientConnection.this.takenBytes();
    }

    @Override
    public long heldBytes() {
      return ClientConnection.this.heldBytes();
    }

    @Override
    public long heldInput() {
      return input.held();
    }

    @Override
    public void hold(long delta) {
      ClientConnection.this.hold(delta);
    }

    @Override
    public void account() {
      ClientConnection.this.account();
    }

    @Override
    public void leave() {
      ClientConnection.this.leave();
    }

    @Override
    public void breakOff() {
      close();
      deafen();
      if (!isOpen() && lives()) {
        replies.endAbandoned();
      }
    }

    @Override
    public void answered(Exchange reply) {
      departure.progress(loop.now());
      lentRequest.answered(reply);
    }
  }

  // --- reading ------------------------------------------------------------------------------

  @Override
  public final void channelRead(ChannelHandlerContext ctx, Object message) {
    take((ByteBuf) message);
  }

  /** Takes bytes that were read. Consumes bytes. */
  public final void take(ByteBuf bytes) {
    loop.beginIteration();
    lifetime.heard();
    loop.metrics().bytes(Direction.CLIENT_IN, bytes.readableBytes());
    if (isPaused(ClientControl.ENDING) || !isOpen() || departure.hasSaidAll()) {
      bytes.release();
      return;
    }
    if (isPaused() && input.held() > MOST_CLOSED_INPUT && loop.memory().isTight()) {
      // Read although it is paused: this only happens at the end of the input.
      bytes.release();
      loop.metrics().requestsDropped(DropReason.MEMORY, 1);
      endInput();
      return;
    }
    if (isPaused() || !input.isEmpty()) {
      hold(input.addWaiting(bytes)); // processed later: counts as held until then
    } else {
      input.add(bytes);
    }
    if (loop.memory().isFull() && lentRequest.remaining() == 0 && !pieces.hasRoom()) {
      pauseForMemory(); // its requests would take more memory
    }
    process(); // bytes being processed do not count as held
    if (loop.memory().isTight() && isOpen() && takesMemory()) {
      pauseForMemory();
    }
  }

  /** Pauses reading and processing until there is memory. */
  private void pauseForMemory() {
    if (!isPaused(ClientControl.MEMORY)) {
      pause(ClientControl.MEMORY);
      worker.awaitMemory(this);
    }
  }

  /**
   * Whether the client has a share in the shortage of memory. Other clients need not wait until
   * those that have one were resumed.
   */
  private boolean takesMemory() {
    return allHeldBytes() > LEAST_SHARE && !pieces.hasRoom() && !lentRequest.gathers();
  }

  @Override
  public final void process() {
    if (processing) {
      return;
    }
    processing = true;
    costLeft = COST_IN_ONE_GO;
    try {
      seeNewest();
      while (!isPaused() && control.lives()) {
        ByteBuf in = input.first();
        if (in == null) {
          if (!hasUnsent()) {
            break;
          }
          in = Unpooled.EMPTY_BUFFER;
        }
        try {
          if (in.isReadable() || hasUnsent()) {
            parse(in);
          }
        } finally {
          flushRun();
        }
        input.doneWith(in);
      }
      ByteBuf first = input.first();
      int at = first == null ? 0 : first.readerIndex();
      long more = input.count();
      if (input.first() != first) {
        moved(input.first(), input.first().readerIndex() - at);
      }
      hold(more);
      if (departure.isGone()) {
        worker.closedClientInput().add(more);
      }
    } finally {
      processing = false;
    }
    if (departure.hasSaidAll()
        && input.isEmpty()
        && !isPaused(ClientControl.ENDING)
        && control.lives()
        && !hasUnsent()) {
      readAll();
    }
  }

  // --- clients that do not wait -----------------------------------------------------------------

  /** The client has sent everything, and may still read: it gets all replies. */
  @Override
  public final void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent && isOpen()) {
      loop.beginIteration();
      endInput();
    }
    ctx.fireUserEventTriggered(event);
  }

  private void endInput() {
    if (departure.hasSaidAll()) {
      return;
    }
    departure.sayAll(loop.now());
    inputEnded();
    if (isDeaf()) {
      abort(); // nothing is left to be read, and nothing can be written
    } else {
      process();
    }
  }

  /**
   * It takes no more replies: the bytes that it has sent are read to their end, and carried out.
   */
  @Override
  protected final boolean readsOn(IOException failure) {
    if (failure instanceof TlsException || departure.hasSaidAll()) {
      return false;
    }
    if (!isDeaf()) {
      deafen();
      pressure.releaseServers();
      resume(ClientControl.OUTPUT);
      stopAwaitingMemory();
      goOnLater();
    }
    return true;
  }

  /**
   * The bytes that it has sent take memory until they are processed, and no more are added: it need
   * not wait for memory.
   */
  private void stopAwaitingMemory() {
    if (isPaused(ClientControl.MEMORY)) {
      worker.stopAwaitingMemory(this);
      resume(ClientControl.MEMORY);
    }
  }

  /**
   * All complete requests are on their way; the rest is an incomplete request, which is dropped.
   */
  private void readAll() {
    if (lentRequest.remaining() > 0) {
      leave(); // inside a value, and everything before it is answered
    } else {
      end();
    }
  }

  /**
   * Whether no reply has a reader any more: requests that change nothing are dropped. Otherwise a
   * client that requested large values without reading them would cost more after it left than
   * before.
   */
  public final boolean wantsNoReplies() {
    return departure.isGone() || isDeaf();
  }

  /** A request was dropped, because its reply has no reader and it has no other effect. */
  public final void unwanted(Command command) {
    costLeft += COST_OF_REQUEST - COST_OF_UNWANTED;
    listening.metrics().request(command, Outcome.CLIENT_GONE);
  }

  private void leave() {
    if (isDeaf()) {
      abort();
    } else {
      close();
    }
    if (departure.isGone()) {
      discard();
    }
  }

  @Override
  public final void cut(DropReason reason) {
    departure.drop(reason);
    abort();
    if (departure.isGone()) {
      discard();
    }
  }

  /** Whether a complete request is not with its servers yet. */
  private boolean owesServers() {
    if (!isPaused(ClientControl.ENDING) && (!input.isEmpty() || hasUnsent())) {
      return true;
    }
    return (lentRequest.isActive() && lentRequest.remaining() == 0) || replies.stepsLeft() > 0;
  }

  /**
   * Fails the next exchange in order if it has made no progress for longer than all possible waits.
   * That is an error in this program, which costs the client this reply only.
   */
  private void failOverdue() {
    Exchange first = ring.peek();
    boolean waits =
        first != null
            && !first.isComplete()
            && first.grammar() != Grammar.STREAM
            && lentRequest.remaining() == 0
            && !lentRequest.sends()
            && pendingBytes() == 0;
    if (!overdue.look(waits ? first : null, bytesWritten(), loop.now())
        || !overdue.lastsFor(worker.standstillNanos(), loop.now())) {
      return;
    }
    loop.metrics().requestOverdue();
    LOG.error(
        "listener {}: {} was not answered in time, nor failed, because of an error in this program",
        listening.name(),
        first.command().label());
    if (first.isCommitted()) {
      abandon("its end does not come");
      return;
    }
    if (first.parts() != null) {
      first.parts().cancel();
      first.splitInto(null);
    }
    first.detach();
    first.releasePieces();
    fail(first, "the request was not answered in time");
  }

  /**
   * Changes to a new configuration between two requests, once all earlier ones are answered: the
   * same server may be another object there, on another connection.
   */
  private void seeNewest() {
    if (listening.isOutdated()
        && isBetweenRequests()
        && !lentRequest.isActive()
        && (ring.isEmpty() || isAlone())) {
      listening.refresh();
      access.order().restart();
      configured();
    }
  }

  /** Parses and sends requests from in, until in is empty or reading is paused. */
  private void parse(ByteBuf in) {
    while ((in.isReadable() || hasUnsent()) && !isPaused()) {
      if (lentRequest.remaining() > 0) {
        lentRequest.body(in);
      } else if (lentRequest.isActive() && !isAlone()) {
        return;
      } else if (costLeft <= 0) {
        pause(ClientControl.TURN);
        continueAfterOthers();
      } else {
        costLeft -= COST_OF_REQUEST;
        loop.samples().begin();
        step(in);
      }
    }
  }

  @Override
  protected final void goOn() {
    if (control.lives()) {
      control.goOnFrom(ClientControl.TURN);
    }
  }

  /**
   * Parses one more part of a request from in, and sends complete requests; advances in's reader
   * index. Borrows in, which may be empty if {@link #hasUnsent}.
   */
  protected abstract void step(ByteBuf in);

  /** The bytes of the input's first buffer were moved to another one. Borrows moved. */
  protected void moved(ByteBuf moved, int by) {}

  /** Requests that have not been sent follow a newer configuration. */
  protected void configured() {}

  /** Whether a complete request was taken out of the input and has not been sent on. */
  protected abstract boolean hasUnsent();

  // --- which requests pass ------------------------------------------------------------------

  /**
   * Whether the current request is over its rule's limit, which may be null. It is counted once,
   * even if it is processed several times.
   */
  public final boolean isOver(Limiter limiter) {
    if (limiter == null || admitted) {
      return false;
    }
    admitted = limiter.takes(1);
    return !admitted;
  }

  public final boolean isAdmitted() {
    return admitted;
  }

  /** The request was counted, with all its keys. */
  public final void admit() {
    admitted = true;
  }

  /** The request is finished: another one follows. */
  protected final void nextRequest() {
    admitted = false;
    awaited = false;
    missed = false;
    changes(null, 0);
  }

  // --- reads of what others read -----------------------------------------------------------------

  @Override
  public final boolean mayAwait() {
    return !awaited;
  }

  @Override
  public final void awaits() {
    awaited = true;
    pause(ClientControl.NEAR);
  }

  @Override
  public final boolean hasAwaited() {
    return awaited;
  }

  @Override
  public final boolean takeMissed() {
    boolean taken = missed;
    missed = false;
    return taken;
  }

  @Override
  public final void flightEnded(Flight.Result result) {
    try {
      channel().eventLoop().execute(() -> goOnAfter(result));
    } catch (RejectedExecutionException e) {
      LOG.debug("a client waited for a read on an event loop that has ended", e);
    }
  }

  private void goOnAfter(Flight.Result result) {
    if (control.lives()) {
      loop.tick();
      missed = result == Flight.Result.MISSED;
      if (result == Flight.Result.NOT_SENT) {
        awaited = false;
      }
      control.goOnFrom(ClientControl.NEAR);
    }
  }

  // --- where requests go --------------------------------------------------------------------

  @Override
  public final String failure() {
    return access.failure();
  }

  @Override
  public final ServerConnection connectionTo(Server server) {
    return access.connectionTo(server);
  }

  @Override
  public final ServerConnection readyConnectionTo(Server server) {
    return access.readyConnectionTo(server);
  }

  @Override
  public final String takeTooLate() {
    return access.takeTooLate();
  }

  @Override
  public final void lags(UnsettledChange change) {
    access.order().lags(change);
  }

  @Override
  public final void lagsNoMore(UnsettledChange change) {
    access.order().lagsNoMore(change);
    if (isPaused(ClientControl.BARRIER)) {
      advance();
    }
  }

  /**
   * Whether a change was answered that the server of connection has not made yet, on another
   * connection.
   */
  public final boolean lagsOn(ServerConnection connection) {
    return access.order().lagsOn(connection);
  }

  /**
   * Whether a request that takes much memory waits for some, behind earlier ones. A single one
   * never waits, because otherwise there might be no progress at all.
   */
  public final boolean lacksMemory() {
    if (ring.isEmpty() || !loop.memory().isTight()) {
      return false;
    }
    pauseForMemory();
    return true;
  }

  @Override
  public final boolean waitsFor(Exchange exchange) {
    if (replies.isChangedBehind(exchange)) {
      return false;
    }
    pause(ClientControl.BARRIER);
    return true;
  }

  @Override
  public final void waitsForAll() {
    pause(ClientControl.BARRIER);
  }

  @Override
  public final void joins() {
    pause(ClientControl.BARRIER);
    resumeServers();
  }

  /** Whether no request is in flight; otherwise waits until that is so. */
  public final boolean isAlone() {
    if (ring.isEmpty()) {
      return true;
    }
    pause(ClientControl.BARRIER);
    return false;
  }

  // --- sending ------------------------------------------------------------------------------

  /**
   * Forwards the bytes [from, to) of in unchanged to connection, which expects exchange's reply.
   * Borrows in.
   */
  public final void forward(
      Exchange exchange, ByteBuf in, int from, int to, ServerConnection connection) {
    worker.forwarded().add(exchange, in, from, to, connection);
  }

  @Override
  public final void flushRun() {
    worker.forwarded().flush();
  }

  @Override
  public final void sendAlone(
      Server server, Exchange exchange, ByteBuf head, int body, boolean closes, LineEnd ending) {
    lentRequest.begin(server, exchange, head, body, closes, ending);
  }

  @Override
  public final void later(Runnable task) {
    channel().eventLoop().execute(task);
  }

  @Override
  public final void resumeReading() {
    control.goOnFrom(ClientControl.MEMORY);
  }

  /** Begins to gather a value of this length, as soon as memory for all of it is reserved. */
  protected final void makeRoom(int length) {
    gathered.begin(length);
  }

  @Override
  public final boolean hasRoom() {
    return pieces.hasRoom();
  }

  @Override
  public final boolean keepsConnectionTooLong() {
    return lentRequest.keepsOthersFromConnections(stallNanos());
  }

  @Override
  public final boolean keepsMemoryTooLong() {
    return gathered.standsStillFor(stallNanos()) || lentRequest.keepsMemoryFor(stallNanos());
  }

  // --- replies ------------------------------------------------------------------------------

  @Override
  public final Exchange newExchange(Command command, Grammar grammar, int hides) {
    return replies.add(command, grammar, hides);
  }

  /** Sets the length of the value of the next new exchange's request. */
  public final void writes(int valueBytes) {
    replies.writes(valueBytes);
  }

  /**
   * The current request changes something: near caches are notified until its exchange is given
   * back.
   *
   * @param concerned null if it affects no cache
   * @param what as in {@link Changes}
   */
  public final void changes(Changes concerned, long what) {
    replies.changes(concerned, what);
  }

  @Override
  public final void owes(int more) {
    replies.owes(more);
  }

  /**
   * Answers a request without a server, in its order. Consumes reply, which may be empty or null
   * for silence.
   */
  @Override
  public final void answer(Command command, Outcome outcome, ByteBuf reply) {
    answer(command, outcome, null, reply);
  }

  /**
   * As {@link #answer(Command, Outcome, ByteBuf)}, with a reply in two buffers. Consumes both; head
   * may be null.
   */
  public final void answer(Command command, Outcome outcome, ByteBuf head, ByteBuf rest) {
    Exchange exchange = newExchange(command, Grammar.LINE, Exchange.HIDE_NOTHING);
    exchange.outcome(outcome);
    if (head != null) {
      exchange.hold(head);
    }
    answer(exchange, rest);
  }

  @Override
  public final void answer(Exchange exchange, ByteBuf reply) {
    replies.answer(exchange, reply);
  }

  @Override
  public final void fail(Exchange exchange, String reason) {
    replies.fail(exchange, reason);
  }

  /** Takes no more requests, and closes when earlier ones are answered. */
  public final void end() {
    replies.end();
  }

  @Override
  public final boolean isTurnOf(Exchange exchange) {
    return replies.isTurnOf(exchange);
  }

  @Override
  public final boolean needsNext(Exchange exchange) {
    return replies.needsNext(exchange);
  }

  @Override
  public final void reply(ByteBuf bytes) {
    replies.write(bytes);
  }

  @Override
  public final void reply(ByteBuf source, int from, int length) {
    replies.write(source, from, length);
  }

  @Override
  public final boolean completed(Exchange exchange) {
    return replies.completed();
  }

  @Override
  public final void advance() {
    replies.advance();
  }

  @Override
  public final void abandon(String reason) {
    replies.abandon(reason);
  }

  // --- back-pressure ------------------------------------------------------------------------

  private boolean isJoining() {
    Exchange first = ring.peek();
    return first != null && first.parts() != null && first.parts().isJoining();
  }

  @Override
  public final void holdValue(long delta) {
    pressure.holdValue(delta);
  }

  @Override
  public final void joins(long delta) {
    pressure.joins(delta);
  }

  @Override
  public final boolean isCongested(boolean next) {
    return pressure.isCongested(next);
  }

  @Override
  public final boolean congests(Resumable server) {
    return pressure.add(server);
  }

  @Override
  public final boolean holdsUp(Resumable server) {
    return pressure.holdsUp(server);
  }

  @Override
  public final void resumeServers() {
    pressure.resumeServers();
  }

  @Override
  public final String listenerName() {
    return listening.name();
  }

  @Override
  public final long allHeldBytes() {
    return pendingBytes() + heldBytes();
  }

  @Override
  public final void sweepOutput() {
    pressure.sweep();
  }

  @Override
  public final long stallNanos() {
    return pressure.stallNanos();
  }

  @Override
  public final boolean stallsServersTooLong(int halvings) {
    return pressure.isStalled(halvings);
  }

  @Override
  public final boolean buffersTooLong() {
    return pressure.buffersTooLong();
  }

  @Override
  public final void channelWritabilityChanged(ChannelHandlerContext ctx) {
    loop.tick();
    if (ctx.channel().isWritable()) {
      resume(ClientControl.OUTPUT);
      pressure.resumeServers();
      goOnLater(); // the write that empties the socket may be in the middle of a request
    } else if (!awaitsFlush() && !isDeaf()) {
      pause(ClientControl.OUTPUT);
    }
    ctx.fireChannelWritabilityChanged();
  }

  /** Checked after the flush: most waiting bytes leave with it. */
  @Override
  protected final void flushed() {
    if (isOpen() && !isDeaf() && !channel().isWritable()) {
      pause(ClientControl.OUTPUT);
    }
  }

  /** Continues in a later task, because the caller may be in the middle of processing. */
  private void goOnLater() {
    channel().eventLoop().execute(takesMore);
  }

  private void outputTaken() {
    if (control.lives()) {
      loop.beginIteration();
      process();
    }
  }

  // --- time and death -----------------------------------------------------------------------

  @Override
  public final void sweep(double drained) {
    boolean mayCome = !isPaused(~ClientControl.OUTPUT);
    pressure.sweep();
    gathered.sweep(mayCome);
    lentRequest.look(mayCome);
    if (ring.isEmpty()) {
      seeNewest(); // an idle client must not keep an old configuration
    }
    abortIfClosingFor(stallNanos());
    if (departure.isOverdue(pressure.takenAt(), loop.now())) {
      cut(DropReason.TIMEOUT);
    }
    failOverdue();
    if (lentRequest.checkReply()) {
      control.goOnFrom(ClientControl.SERVER);
    }
    if ((!ring.isEmpty() || isPaused(ClientControl.WINDOW)) && lentRequest.remaining() == 0) {
      lifetime.heard(); // it waits for the gateway
    }
    if (isSilent() || (ring.isEmpty() && !isInsideRequest() && mayLeave(drained))) {
      close();
    }
  }

  private boolean mayLeave(double drained) {
    return lifetime.ends(listening.isRetired() ? 1 : drained, worker.overtimeShare());
  }

  /** Whether the client has sent nothing for too long, while nothing else is waited for. */
  private boolean isSilent() {
    long idle = listening.limits().idleMillis() * 1_000_000L;
    return idle > 0
        && !departure.hasSaidAll()
        && lifetime.isSilentFor(idle)
        && !isPaused(
            ClientControl.SERVER
                | ClientControl.MEMORY
                | ClientControl.LENDING
                | ClientControl.NEAR
                | ClientControl.TURN);
  }

  /** Whether part of a request has been read. */
  private boolean isInsideRequest() {
    return !input.isEmpty() || !isBetweenRequests();
  }

  /** Whether no part of a request is kept outside of the input. */
  protected abstract boolean isBetweenRequests();

  @Override
  protected final void lost(IOException failure) {
    if (failure instanceof TlsException tls) {
      listening.tlsFailed(channel(), tls);
    }
  }

  @Override
  protected final void closed() {
    if (departure.dropping() == null && !isBroken() && owesServers() && mayFinish()) {
      worker.closedClientInput().add(input.held());
      departure.go(loop.now());
      inputEnded();
      pressure.releaseServers();
      resume(ClientControl.OUTPUT);
      stopAwaitingMemory();
      replies.endAbandoned();
      process();
    } else {
      discard();
    }
  }

  /** Whether there is memory for its unprocessed bytes until they are processed. */
  private boolean mayFinish() {
    if (input.held() > LEAST_SHARE && !worker.closedClientInput().hasMemoryFor(input.held())) {
      departure.drop(DropReason.MEMORY);
      return false;
    }
    return true;
  }

  /** Drops its unprocessed requests. */
  private void discard() {
    if (departure.isGone()) {
      worker.closedClientInput().add(-input.held());
    }
    departure.end();
    if (departure.dropping() != null) {
      boolean unread = !isPaused(ClientControl.ENDING) && (!input.isEmpty() || hasUnsent());
      int requests = replies.stepsLeft() + (unread ? 1 : 0);
      loop.metrics().requestsDropped(departure.dropping(), requests);
    }
    worker.remove(this);
    listening.leave();
    hold(-input.release());
    gathered.end();
    release();
    lentRequest.closed();
    replies.discard();
    access.order().cancel();
    pressure.releaseServers();
  }

  /** Releases an incomplete request. */
  protected abstract void release();
}
