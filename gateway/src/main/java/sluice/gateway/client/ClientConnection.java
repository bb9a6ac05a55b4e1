package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.codecs.buffer.Bytes;
import sluice.gateway.dispatch.ClientSession;
import sluice.gateway.dispatch.Limiter;
import sluice.gateway.dispatch.UnsettledChange;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.listener.Listening;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.DropReason;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Flight;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerWaiter;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.gateway.tls.TlsException;
import sluice.names.Command;

/**
 * A client's connection: requests are read in order, sent where the route says, and answered in
 * order.
 *
 * <p>What was read stays in the buffers it arrived in. Neighbouring requests to the same server
 * connection that need no change leave as one slice (the <em>run</em>). Reading stops, for one or
 * more {@link #pause reasons}, whenever a request cannot be sent on; what was read already is kept
 * and looked at again when the reason is gone.
 */
public abstract class ClientConnection extends OrderedReplies
    implements ServerWaiter, ClientSession {
  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

  /** Bytes of a request's value up to which it is gathered instead of streamed. */
  public static final int GATHER_LIMIT = 64 * 1024;

  /**
   * What a client's requests may cost before the event loop turns to its other clients. A client
   * that sends very many at once keeps the loop for no longer than these take.
   */
  private static final int COST_IN_ONE_GO = 4096;

  private static final int COST_OF_REQUEST = 16;

  /** What a request costs that is only read, because nobody is left to read its reply. */
  private static final int COST_OF_UNWANTED = 1;

  /** While memory is short, a client is read on as long as no more bytes than these are its own. */
  private static final int LEAST_SHARE = 16 * 1024;

  /**
   * So long a client that has said all is worked for: since anything of it last went on if it may
   * still read, since it was gone if it cannot.
   */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Who is to leave does so when it has said nothing for so long, and all is answered. */
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long LEAST_OVERTIME_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** While memory is short, so many bytes are kept of what a client said before it left. */
  private static final int LAST_WORDS = 256 * 1024;

  /** The beginning of a value that must be whole before anything is done with it. */
  protected final Pieces pieces;

  private final ArrayDeque<ByteBuf> input = new ArrayDeque<>(4);
  private final GatheredValue gathered;
  private final ServerOrder order = new ServerOrder(ring);
  private final Overdue overdue = new Overdue();
  private final LentRequest lentRequest = new LentRequest(this);
  private final int number;
  private final long opened;
  private long maxAgeNanos;
  private final double place = Math.random(); // among those who leave when the gateway drains
  private long lastRead;
  private long waitingSince;
  private String tooLate;
  private boolean processing;
  private int costLeft; // until it is the turn of others
  private boolean saidAll; // its input has ended
  private boolean gone; // its socket is closed, and what it said is still carried out
  private long progressAt; // since it has said all: when a request of it was answered
  private DropReason dropping; // why what it said is not carried out any more; null: it is
  private boolean awaited; // the request that is being looked at has waited for another
  private boolean missed; // which found nothing
  private boolean admitted; // the request that is being looked at has been counted

  private ByteBuf runIn;
  private ServerConnection runTo;
  private int runStart;
  private int runEnd;

  public ClientConnection(Worker worker, Listening listening) {
    super(worker, listening);
    this.number = worker.add(this);
    this.gathered = new GatheredValue(this, worker.room(), loop);
    this.pieces = gathered.pieces();
    this.opened = loop.now();
    this.lastRead = opened;
    long maxAge = listening.limits().maxAgeMillis() * 1_000_000L;
    // Jittered by up to a fifth, so that clients that came together do not leave together.
    this.maxAgeNanos = maxAge == 0 ? 0 : maxAge - (long) (Math.random() * maxAge / 5);
  }

  // --- reading ------------------------------------------------------------------------------

  @Override
  public final void channelRead(ChannelHandlerContext ctx, Object message) {
    take((ByteBuf) message);
  }

  /** Takes what was read. Consumes bytes. */
  public final void take(ByteBuf bytes) {
    loop.beginTurn();
    lastRead = loop.now();
    loop.metrics().bytes(Direction.CLIENT_IN, bytes.readableBytes());
    if (isPaused(ENDING) || !isOpen() || saidAll) {
      bytes.release();
      return;
    }
    if (isPaused() && heldInput > LAST_WORDS && loop.memory().isTight()) {
      // Read although it is paused: only the end of the input makes that happen.
      bytes.release();
      drop(DropReason.MEMORY, 1);
      endInput();
      return;
    }
    if (isPaused() || !input.isEmpty()) {
      hold(bytes.readableBytes()); // processed later: held until then
      heldInput += bytes.readableBytes();
      bytes = kept(bytes);
    }
    input.add(bytes);
    if (loop.memory().isFull() && lentRequest.remaining() == 0 && !pieces.hasRoom()) {
      starve(); // what it asks for would take more
    }
    process(); // what is processed is not held any more
    if (loop.memory().isTight() && isOpen() && takesMemory()) {
      starve();
    }
  }

  /** Nothing more of the client is read, nor processed, until there is memory. */
  private void starve() {
    if (!isPaused(MEMORY)) {
      pause(MEMORY);
      worker.starves(this);
    }
  }

  /**
   * Whether the client has a part in the memory's being short. Clients that have none need not wait
   * until those have been fed that do.
   */
  private boolean takesMemory() {
    return allHeldBytes() > LEAST_SHARE && !pieces.hasRoom() && !lentRequest.gathers();
  }

  @Override
  public final void process() {
    if (processing || !worker.begins(this)) {
      return;
    }
    processing = true;
    costLeft = COST_IN_ONE_GO;
    try {
      seeNewest();
      while (!isPaused() && lives()) {
        ByteBuf in = input.peek();
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
        if (!in.isReadable() && input.peek() == in) {
          input.poll();
          in.release();
        }
      }
      countInput();
    } finally {
      processing = false;
      worker.ends();
    }
    if (saidAll && input.isEmpty() && !isPaused(ENDING) && lives() && !hasUnsent()) {
      readAll();
    }
  }

  // --- clients that do not wait -----------------------------------------------------------------

  /** The client has said all, and may still read: it gets all replies. */
  @Override
  public final void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent && isOpen()) {
      loop.beginTurn();
      endInput();
    }
    ctx.fireUserEventTriggered(event);
  }

  private void endInput() {
    if (saidAll) {
      return;
    }
    saidAll = true;
    inputEnded();
    progressAt = loop.now();
    if (isDeaf()) {
      abort(); // nothing is left to be read, and nothing can be written
    } else {
      process();
    }
  }

  /** It takes no replies any more: what it has said is read to its end, and carried out. */
  @Override
  protected final boolean readsOn(IOException failure) {
    if (failure instanceof TlsException || saidAll) {
      return false;
    }
    if (!isDeaf()) {
      deafen();
      releaseServers();
      resume(OUTPUT);
      starvesNoMore();
      goOnLater();
    }
    return true;
  }

  /** What it has said takes memory until it is carried out, and nothing is added to it. */
  private void starvesNoMore() {
    if (isPaused(MEMORY)) {
      worker.starvesNoMore(this);
      resume(MEMORY);
    }
  }

  /** All that came whole is on its way; what is left of a request never becomes one. */
  private void readAll() {
    if (lentRequest.remaining() > 0) {
      leave(); // inside a value, and all before it are answered
    } else {
      end();
    }
  }

  /**
   * Whether nobody is left to read a reply: what changes nothing is not carried out. A client that
   * asked for large values without reading them would cost more when it is gone than while it was
   * there.
   */
  public final boolean wantsNoReplies() {
    return gone || isDeaf();
  }

  /** A request was left out, because nobody reads its reply and it does nothing else. */
  public final void unwanted(Command command) {
    costLeft += COST_OF_REQUEST - COST_OF_UNWANTED;
    listening.metrics().request(command, Outcome.CLIENT_GONE);
  }

  @Override
  final boolean lives() {
    return isOpen() || gone;
  }

  @Override
  final void leave() {
    if (isDeaf()) {
      abort();
    } else {
      close();
    }
    if (gone) {
      discard();
    }
  }

  @Override
  public final void cut(DropReason reason) {
    if (dropping == null) {
      dropping = reason;
    }
    abort();
    if (gone) {
      discard();
    }
  }

  /** Whether something that came whole is not with its servers yet. */
  private boolean owesServers() {
    if (!isPaused(ENDING) && (!input.isEmpty() || hasUnsent())) {
      return true;
    }
    return (lentRequest.isActive() && lentRequest.remaining() == 0) || stepsLeft() > 0;
  }

  /** Requests that are done in several steps, and are not done. */
  private int stepsLeft() {
    int count = 0;
    for (int i = 0; i < ring.size(); i++) {
      Exchange exchange = ring.get(i);
      if (exchange.parts() != null && !exchange.isComplete()) {
        count++;
      }
    }
    return count;
  }

  private void drop(DropReason reason, int requests) {
    loop.metrics().requestsDropped(reason, requests);
  }

  /**
   * The exchange whose turn it is has stood still for longer than all that may be waited for: by an
   * error in this program, which costs the client this reply and nothing more.
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
        || !overdue.lastsFor(worker.patienceNanos(), loop.now())) {
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

  private void dropOverdue() {
    long since = gone ? progressAt : Math.max(progressAt, takenAt());
    if (saidAll && loop.now() - since > LINGER_NANOS) {
      cut(DropReason.TIMEOUT);
    }
  }

  /**
   * Between two requests a client goes over to a new configuration, once all its earlier requests
   * are answered: the same server may be another object there, on another connection.
   */
  private void seeNewest() {
    if (listening.isOutdated()
        && isBetweenRequests()
        && !lentRequest.isActive()
        && (ring.isEmpty() || isAlone())) {
      listening.refresh();
      order.restart();
    }
  }

  private void countInput() {
    if (input.isEmpty() && heldInput == 0) {
      return;
    }
    if (!input.isEmpty()) {
      input.addFirst(kept(input.poll()));
    }
    long left = 0;
    for (ByteBuf in : input) {
      left += in.readableBytes();
    }
    hold(left - heldInput);
    if (gone) {
      worker.lastWords().add(left - heldInput);
    }
    heldInput = left;
  }

  /**
   * What is left of in, to be looked at later: a copy, if the whole buffer would be kept for a
   * small part of it. A request that is not the first in a buffer does not become the first in the
   * copy. Consumes in; the caller owns the result.
   */
  private ByteBuf kept(ByteBuf in) {
    int length = in.readableBytes();
    if (!Loop.isSmallPartOf(in, length)) {
      return in;
    }
    int before = Math.min(1, in.readerIndex());
    ByteBuf copy = loop.buffer(before + length);
    Bytes.append(in, in.readerIndex() - before, before + length, copy);
    copy.skipBytes(before);
    in.release();
    return copy;
  }

  /** Reads requests from in and sends them on, until in is empty or reading is paused. */
  private void parse(ByteBuf in) {
    while ((in.isReadable() || hasUnsent()) && !isPaused()) {
      if (lentRequest.remaining() > 0) {
        lentRequest.body(in);
      } else if (lentRequest.isActive() && !isAlone()) {
        return;
      } else if (costLeft <= 0) {
        pause(TURN);
        goOnBehindOthers();
      } else {
        costLeft -= COST_OF_REQUEST;
        loop.samples().begin();
        step(in);
      }
    }
  }

  @Override
  protected final void goOn() {
    if (lives()) {
      goOnFrom(TURN);
    }
  }

  /**
   * Reads one more part of a request from in, and sends on what is whole; advances in's reader
   * index over what it is done with. Borrows in, which may be empty if {@link #hasUnsent}.
   */
  protected abstract void step(ByteBuf in);

  /** Whether a whole request was taken out of the input and has not been sent on. */
  protected abstract boolean hasUnsent();

  // --- which requests pass ------------------------------------------------------------------

  /**
   * Whether the request that is being looked at is over its rule's limit, which may be null. It is
   * counted once, however often it is looked at before it is done with.
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

  /** The request is done with: the next one is another. */
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
    pause(NEAR);
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
  public final void landed(Flight.Result result) {
    try {
      channel().eventLoop().execute(() -> goOnAfter(result));
    } catch (RejectedExecutionException e) {
      LOG.debug("a client of an event loop that has ended waits for nothing", e);
    }
  }

  private void goOnAfter(Flight.Result result) {
    if (lives()) {
      loop.tick();
      missed = result == Flight.Result.MISSED;
      if (result == Flight.Result.NOT_SENT) {
        awaited = false;
      }
      goOnFrom(NEAR);
    }
  }

  // --- where requests go --------------------------------------------------------------------

  private String failure; // of the last connectionTo

  @Override
  public final String failure() {
    return failure;
  }

  @Override
  public final ServerConnection connectionTo(Server server) {
    failure = takeTooLate();
    if (failure != null) {
      return null;
    }
    ServerConnection connection = server.connection(number);
    if (connection == null) {
      failure = server.unavailable();
      if (failure == null) {
        waitFor(server);
      } else {
        server.refused();
      }
      return null;
    }
    if (!order.allows(connection)) {
      pause(BARRIER);
      return null;
    }
    return connection;
  }

  @Override
  public final ServerConnection readyConnectionTo(Server server) {
    return server.connection(number);
  }

  @Override
  public final String takeTooLate() {
    String reason = tooLate;
    tooLate = null;
    return reason;
  }

  private void waitFor(Server server) {
    waitingSince = loop.now();
    pause(SERVER);
    server.await(this);
  }

  @Override
  public final void lags(UnsettledChange change) {
    order.lags(change);
  }

  @Override
  public final void lagsNoMore(UnsettledChange change) {
    order.lagsNoMore(change);
    if (isPaused(BARRIER)) {
      advance();
    }
  }

  /** Whether a change is answered that the server of connection has yet to make elsewhere. */
  public final boolean lagsOn(ServerConnection connection) {
    return order.lagsOn(connection);
  }

  /**
   * Whether a request that takes much memory waits for some, behind those before it. One that is
   * alone need not, or nobody would ever go on.
   */
  public final boolean lacksMemory() {
    if (ring.isEmpty() || !loop.memory().isTight()) {
      return false;
    }
    starve();
    return true;
  }

  @Override
  public final boolean waitsFor(Exchange exchange) {
    for (int i = ring.indexOf(exchange) + 1; i < ring.size(); i++) {
      Command command = ring.get(i).command();
      if (!command.isRead() && command != Command.MG && !ring.get(i).isComplete()) {
        return false;
      }
    }
    pause(BARRIER);
    return true;
  }

  @Override
  public final void waitsForAll() {
    pause(BARRIER);
  }

  @Override
  public final void joins() {
    pause(BARRIER);
    relieve();
  }

  /** Whether nothing is in flight; if something is, waits until nothing is. */
  public final boolean isAlone() {
    if (ring.isEmpty()) {
      return true;
    }
    pause(BARRIER);
    return false;
  }

  @Override
  public final void serverChanged() {
    goOnFrom(SERVER);
    lentRequest.sendMore();
  }

  @Override
  public final void serverTooLate(String reason) {
    if (!lentRequest.serverTooLate(reason)) {
      tooLate = reason;
    }
    goOnFrom(SERVER);
  }

  /** The client is read again, and not silent for as long as it was not read. */
  final void goOnFrom(int reason) {
    lastRead = loop.now();
    resume(reason);
    process();
  }

  @Override
  public final long waitingSince() {
    return waitingSince;
  }

  // --- sending ------------------------------------------------------------------------------

  /** The bytes [from, to) of in go to connection as they are. */
  public final void forward(ByteBuf in, int from, int to, ServerConnection connection) {
    if (runTo == connection && runEnd == from && runIn == in) {
      runEnd = to;
      return;
    }
    flushRun();
    runIn = in;
    runTo = connection;
    runStart = from;
    runEnd = to;
  }

  @Override
  public final void flushRun() {
    if (runTo != null) {
      runTo.write(runIn, runStart, runEnd - runStart);
      runTo = null;
      runIn = null;
    }
  }

  @Override
  protected final void answered(Exchange exchange) {
    if (saidAll && !gone) {
      progressAt = loop.now();
    }
    lentRequest.answered(exchange);
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

  /** What this client does alone on a connection that is lent to it. */
  public final LentRequest lentRequest() {
    return lentRequest;
  }

  final void pauseFor(int reason) {
    pause(reason);
  }

  final void waitForLent(Server server) {
    waitFor(server);
  }

  @Override
  public final void feed() {
    goOnFrom(MEMORY);
  }

  /** A value of so many bytes is to be gathered, as soon as there is room for all of it. */
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
  public final boolean keepsRoomTooLong() {
    return gathered.standsStillFor(stallNanos()) || lentRequest.keepsRoomFor(stallNanos());
  }

  // --- time and death -----------------------------------------------------------------------

  @Override
  public final void sweep(double drained) {
    sweepOutput();
    gathered.sweep(!isPaused(~OUTPUT));
    lentRequest.look(!isPaused(~OUTPUT));
    if (ring.isEmpty()) {
      seeNewest(); // who has nothing to ask holds on to nothing old
    }
    if (listening.isRetired()) {
      drained = 1;
    }
    abortIfClosingFor(listening.limits().stallMillis() * 1_000_000L);
    dropOverdue();
    failOverdue();
    if (lentRequest.checkReply()) {
      goOnFrom(SERVER);
    }
    if ((!ring.isEmpty() || isPaused(WINDOW)) && lentRequest.remaining() == 0) {
      lastRead = loop.now(); // it waits for us
    }
    if (isSilent() || (ring.isEmpty() && !isInsideRequest() && mayLeave(drained))) {
      close();
    }
  }

  /**
   * Whether it is to leave, and nothing of it seems to be under way: it has been quiet for a
   * moment. One that never is may stay for longer, with less and less of a moment.
   */
  private boolean mayLeave(double drained) {
    double over = -1; // how much of the time has passed in which it may stay for longer
    if (drained >= place) {
      over = worker.hurry();
    }
    if (isTooOld()) {
      long since = loop.now() - opened - maxAgeNanos;
      over = Math.max(over, (double) since / Math.max(LEAST_OVERTIME_NANOS, maxAgeNanos / 10));
    }
    return over >= 0 && loop.now() - lastRead >= (long) (QUIET_NANOS * (1 - Math.min(1, over)));
  }

  /** Whether the client has sent nothing for too long, though nothing but that is waited for. */
  private boolean isSilent() {
    long idle = listening.limits().idleMillis() * 1_000_000L;
    return idle > 0
        && !saidAll
        && loop.now() - lastRead > idle
        && !isPaused(SERVER | MEMORY | LENDING | NEAR | TURN);
  }

  private boolean isTooOld() {
    return maxAgeNanos > 0 && loop.now() - opened > maxAgeNanos;
  }

  /** Whether part of a request has been read. */
  private boolean isInsideRequest() {
    return !input.isEmpty() || !isBetweenRequests();
  }

  /** Whether nothing is kept of a request but what is still in the input. */
  protected abstract boolean isBetweenRequests();

  @Override
  protected final void lost(IOException failure) {
    if (failure instanceof TlsException tls) {
      listening.tlsFailed(channel(), tls);
    }
  }

  @Override
  protected final void closed() {
    if (dropping == null && !isBroken() && owesServers() && mayFinish()) {
      gone = true;
      worker.lastWords().add(heldInput);
      saidAll = true;
      inputEnded();
      progressAt = loop.now();
      releaseServers();
      resume(OUTPUT);
      starvesNoMore();
      endAbandoned();
      process();
    } else {
      discard();
    }
  }

  /** Whether there is memory for what it has said until that is carried out. */
  private boolean mayFinish() {
    if (heldInput > LEAST_SHARE && !worker.lastWords().hasRoomFor(heldInput)) {
      dropping = DropReason.MEMORY;
      return false;
    }
    return true;
  }

  /** Nothing of it is carried out any more. */
  private void discard() {
    if (gone) {
      gone = false;
      worker.lastWords().add(-heldInput);
    }
    if (dropping != null) {
      boolean unread = !isPaused(ENDING) && (!input.isEmpty() || hasUnsent());
      drop(dropping, stepsLeft() + (unread ? 1 : 0));
    }
    worker.remove(this);
    listening.leave();
    hold(-heldInput);
    heldInput = 0;
    while (!input.isEmpty()) {
      input.poll().release();
    }
    gathered.end();
    release();
    lentRequest.closed();
    while (!ring.isEmpty()) {
      Exchange exchange = ring.poll();
      loop.metrics().requestEnded();
      listening.metrics().request(exchange.command(), Outcome.CLIENT_GONE);
      log(exchange, Outcome.CLIENT_GONE, loop.now() - exchange.started());
      if (exchange.parts() != null && !exchange.isComplete()) {
        exchange.parts().cancel();
      }
      worker.exchanges().give(exchange);
    }
    order.cancel();
    releaseServers();
  }

  /** Releases what a half-read request left. */
  protected abstract void release();
}
