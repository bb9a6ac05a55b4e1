package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.codecs.memcached.Command;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.ExchangeQueue;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.Requester;
import sluice.gateway.loop.Connection;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerConnection;

/**
 * A client's connection: requests are read in order, sent where the route says, and answered in
 * order.
 *
 * <p>What was read stays in the buffers it arrived in. Neighbouring requests to the same server
 * connection that need no change leave as one slice (the <em>run</em>). Reading stops, for one or
 * more {@link #pause reasons}, whenever a request cannot be sent on; what was read already is kept
 * and looked at again when the reason is gone.
 */
abstract class ClientConnection extends Connection implements Requester, Server.Waiter {
  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

  /** Too many requests in flight. */
  private static final int WINDOW = 1;

  /** The client does not read its replies. */
  private static final int OUTPUT = 1 << 1;

  /** A server connection is being made, or does not take more. */
  private static final int SERVER = 1 << 2;

  /** All earlier requests must be answered first. */
  private static final int BARRIER = 1 << 3;

  /** The process has buffered too much. */
  private static final int MEMORY = 1 << 4;

  /** No more requests are taken; the connection closes when all are answered. */
  private static final int ENDING = 1 << 5;

  /** A lent connection has been asked for. */
  static final int LENDING = 1 << 6;

  /** Bytes of a request's value up to which it is gathered instead of streamed. */
  static final int GATHER_LIMIT = 64 * 1024;

  private static final int TIGHT_OUT_BUFFER = 64 * 1024;

  protected final Worker worker;
  protected final Listening listening;
  protected final ExchangeQueue ring = new ExchangeQueue();

  private final ArrayDeque<ByteBuf> input = new ArrayDeque<>(4);
  private final List<Resumable> congested = new ArrayList<>(2);
  private final LentRequest lentRequest = new LentRequest(this);
  private final int number;
  private final int window;
  private final long outBuffer;
  private final long opened;
  private long maxAgeNanos;
  private long lastRead;
  private long stalledSince;
  private long waitingSince;
  private String tooLate;
  private boolean processing;
  private ServerConnection[] used = new ServerConnection[2];
  private int usedCount;

  private ByteBuf runIn;
  private ServerConnection runTo;
  private int runStart;
  private int runEnd;

  ClientConnection(Worker worker, Listening listening) {
    super(worker.loop());
    this.worker = worker;
    this.listening = listening;
    this.number = worker.add(this);
    this.window = listening.limits().inFlight();
    this.outBuffer = listening.limits().outBufferBytes();
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
  final void take(ByteBuf bytes) {
    loop.beginTurn();
    lastRead = loop.now();
    loop.metrics().bytes(Direction.CLIENT_IN, bytes.readableBytes());
    if (isPaused(ENDING) || !isOpen()) {
      bytes.release();
      return;
    }
    input.add(bytes);
    if (isPaused() || input.size() > 1) {
      hold(bytes.readableBytes()); // processed later: held until then
      heldInput += bytes.readableBytes();
    }
    if (loop.memory().isTight() && !isPaused(MEMORY)) {
      pause(MEMORY);
      worker.starves(this);
    }
    process();
  }

  private long heldInput;

  /** Goes on with what was read, as far as nothing stands in the way. */
  final void process() {
    if (processing) {
      return;
    }
    processing = true;
    try {
      while (!isPaused() && isOpen()) {
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
    } finally {
      processing = false;
    }
    countInput();
  }

  private void countInput() {
    if (input.isEmpty() && heldInput == 0) {
      return;
    }
    long left = 0;
    for (ByteBuf in : input) {
      left += in.readableBytes();
    }
    hold(left - heldInput);
    heldInput = left;
  }

  /**
   * Reads requests from in and sends them on, until in is empty or {@link #isPaused}. Advances in's
   * reader index over what it is done with. Borrows in.
   */
  protected abstract void parse(ByteBuf in);

  /** Whether a whole request was taken out of the input and has not been sent on. */
  protected abstract boolean hasUnsent();

  // --- where requests go --------------------------------------------------------------------

  /** Why the last {@link #connectionTo} found no connection, if it is final; null: it waits. */
  protected String failure;

  /**
   * The connection for the next request to server; null if there is none now. Then either {@link
   * #failure} says why the request fails, or reading is paused until it is worth trying again.
   */
  protected final ServerConnection connectionTo(Server server) {
    failure = tooLate;
    tooLate = null;
    if (failure != null) {
      return null;
    }
    ServerConnection connection = server.connection(number);
    if (connection == null) {
      failure = server.unavailable();
      if (failure == null) {
        waitFor(server);
      }
      return null;
    }
    return isInOrder(connection) ? connection : null;
  }

  private void waitFor(Server server) {
    waitingSince = loop.now();
    pause(SERVER);
    server.await(this);
  }

  /**
   * Whether all earlier requests to the same server went this way or are answered; waits if not.
   */
  private boolean isInOrder(ServerConnection connection) {
    for (int i = 0; i < usedCount; i++) {
      if (used[i] == connection) {
        return true;
      }
      if (used[i].server() == connection.server()) {
        if (owes(used[i])) {
          pause(BARRIER);
          return false;
        }
        used[i] = connection;
        return true;
      }
    }
    if (usedCount == used.length) {
      used = java.util.Arrays.copyOf(used, usedCount * 2);
    }
    used[usedCount++] = connection;
    return true;
  }

  private boolean owes(ServerConnection connection) {
    for (int i = 0; i < ring.size(); i++) {
      Exchange exchange = ring.get(i);
      boolean asked = exchange.server() == connection || exchange.parts() != null;
      if (asked && !exchange.isComplete()) {
        return true;
      }
    }
    return false;
  }

  /** Whether nothing is in flight; if something is, waits until nothing is. */
  protected final boolean isAlone() {
    if (ring.isEmpty()) {
      return true;
    }
    pause(BARRIER);
    return false;
  }

  @Override
  public final void serverChanged() {
    resume(SERVER);
    process();
  }

  @Override
  public final void serverTooLate(String reason) {
    if (!lentRequest.serverTooLate(reason)) {
      tooLate = reason;
    }
    resume(SERVER);
    process();
  }

  @Override
  public final long waitingSince() {
    return waitingSince;
  }

  // --- sending ------------------------------------------------------------------------------

  /** A new exchange at the end of the ring; the ring must not be full. */
  protected final Exchange newExchange(Command command, Grammar grammar, int hides) {
    Exchange exchange = worker.exchanges().take().start(this, command, grammar, hides, loop.now());
    ring.add(exchange);
    loop.metrics().requestStarted();
    if (ring.size() >= window) {
      pause(WINDOW);
    }
    return exchange;
  }

  /** The bytes [from, to) of in go to connection as they are. */
  protected final void forward(ByteBuf in, int from, int to, ServerConnection connection) {
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

  /** Sends what {@link #forward} was told; before anything else is written to a server. */
  protected final void flushRun() {
    if (runTo != null) {
      runTo.write(runIn, runStart, runEnd - runStart);
      runTo = null;
      runIn = null;
    }
  }

  /** What this client does alone on a connection that is lent to it. */
  protected final LentRequest lentRequest() {
    return lentRequest;
  }

  final void pauseFor(int reason) {
    pause(reason);
  }

  final void resumeFrom(int reason) {
    resume(reason);
  }

  final void waitForLent(Server server) {
    waitFor(server);
  }

  // --- answering ----------------------------------------------------------------------------

  /**
   * Answers a request here, in its turn. Consumes reply, which may be empty or null for silence.
   */
  protected final void answer(Command command, Outcome outcome, ByteBuf reply) {
    Exchange exchange = newExchange(command, Grammar.LINE, Exchange.HIDE_NOTHING);
    exchange.outcome(outcome);
    answer(exchange, reply);
  }

  /** Answers an exchange of the ring here. Consumes reply, which may be null for silence. */
  protected final void answer(Exchange exchange, ByteBuf reply) {
    if (reply != null) {
      exchange.hold(reply);
    }
    exchange.complete();
    if (ring.peek() == exchange) {
      advance();
    }
  }

  /** Answers exchange with the reason why its request cannot be served, in the client's dialect. */
  protected abstract ByteBuf failureReply(Exchange exchange, String reason);

  /** Fails an exchange of the ring. */
  protected final void fail(Exchange exchange, String reason) {
    exchange.outcome(Outcome.SERVER_DOWN);
    answer(exchange, exchange.hides() == Exchange.HIDE_ALL ? null : failureReply(exchange, reason));
  }

  /** Takes no more requests, and closes when those before are answered. */
  protected final void end() {
    pause(ENDING);
    if (ring.isEmpty()) {
      close();
    }
  }

  @Override
  public final boolean isTurnOf(Exchange exchange) {
    return ring.peek() == exchange;
  }

  @Override
  public final void reply(ByteBuf bytes) {
    loop.metrics().bytes(Direction.CLIENT_OUT, bytes.readableBytes());
    write(bytes);
  }

  @Override
  public final boolean completed(Exchange exchange) {
    leaveRing();
    Exchange next = ring.peek();
    if (next == null) {
      return isPaused();
    }
    return next.isComplete() || next.pieceCount() > 0 || isPaused(WINDOW);
  }

  /** The first exchange of the ring is answered. */
  private void leaveRing() {
    Exchange exchange = ring.poll();
    loop.metrics().requestEnded();
    if (exchange.hides() == Exchange.HIDE_ALL) {
      listening.metrics().request(exchange.command(), exchange.outcome());
    } else {
      long nanos = loop.now() - exchange.started();
      listening
          .metrics()
          .request(exchange.command(), exchange.outcome(), nanos, nanos - exchange.serverNanos());
    }
    lentRequest.answered(exchange);
    worker.exchanges().give(exchange);
  }

  @Override
  public final void advance() {
    Exchange exchange;
    while ((exchange = ring.peek()) != null) {
      if (exchange.isComplete()
          || exchange.isCommitted()
          || exchange.heldBytes() >= ServerConnection.STREAM_FROM) {
        exchange.writePieces();
      }
      if (!exchange.isComplete()) {
        break;
      }
      leaveRing();
    }
    if (!congested.isEmpty()) {
      relieve();
    }
    if (isPaused()) {
      goOn();
    }
  }

  private void goOn() {
    if (ring.isEmpty()) {
      if (isPaused(ENDING)) {
        close();
        return;
      }
      resume(BARRIER);
    }
    if (ring.size() <= window / 2) {
      resume(WINDOW);
    }
    process();
  }

  @Override
  public final Exchange standIn(Exchange late) {
    Exchange other = worker.exchanges().take().standInFor(late);
    ring.set(ring.indexOf(late), other);
    lentRequest.replaced(late, other);
    return other;
  }

  @Override
  public final void abandon(String reason) {
    LOG.info("listener {}: a client is closed inside a reply: {}", listening.name(), reason);
    close();
  }

  // --- back-pressure ------------------------------------------------------------------------

  @Override
  public final boolean isCongested() {
    long waiting = pendingBytes() + heldBytes() - heldInput;
    return waiting > outBuffer || (waiting > TIGHT_OUT_BUFFER && loop.memory().isTight());
  }

  @Override
  public final boolean congests(Resumable server) {
    if (congested.contains(server)) {
      return false;
    }
    if (congested.isEmpty()) {
      stalledSince = loop.now();
      worker.stalls(this);
    }
    congested.add(server);
    return true;
  }

  private void relieve() {
    if (!congested.isEmpty() && (!isOpen() || !isCongested())) {
      List<Resumable> servers = List.copyOf(congested);
      congested.clear();
      worker.stallsNoMore(this);
      servers.forEach(Resumable::resumed);
    }
  }

  final void sweepStall() {
    if (loop.now() - stalledSince > listening.limits().stallMillis() * 1_000_000L) {
      LOG.info(
          "listener {}: a client is closed: it took nothing for {} ms while {} bytes waited for it",
          listening.name(),
          listening.limits().stallMillis(),
          pendingBytes() + heldBytes());
      abort();
    }
  }

  @Override
  public final void channelWritabilityChanged(ChannelHandlerContext ctx) {
    loop.tick();
    if (ctx.channel().isWritable()) {
      resume(OUTPUT);
      relieve();
      process();
    } else {
      pause(OUTPUT);
    }
    ctx.fireChannelWritabilityChanged();
  }

  /** There is memory again. */
  final void feed() {
    resume(MEMORY);
    process();
  }

  // --- time and death -----------------------------------------------------------------------

  /** Called a few times a second. */
  final void sweep(boolean draining) {
    account();
    abortIfClosingFor(listening.limits().stallMillis() * 1_000_000L);
    long idle = listening.limits().idleMillis() * 1_000_000L;
    if (ring.isEmpty() && !isInsideRequest()) {
      boolean idleTooLong = idle > 0 && loop.now() - lastRead > idle;
      boolean tooOld = maxAgeNanos > 0 && loop.now() - opened > maxAgeNanos;
      if (draining || idleTooLong || tooOld) {
        close();
      }
    }
  }

  /** Whether part of a request has been read. */
  protected boolean isInsideRequest() {
    return !input.isEmpty();
  }

  @Override
  protected final void closed() {
    worker.remove(this);
    listening.leave();
    hold(-heldInput);
    heldInput = 0;
    while (!input.isEmpty()) {
      input.poll().release();
    }
    release();
    lentRequest.closed();
    while (!ring.isEmpty()) {
      Exchange exchange = ring.poll();
      loop.metrics().requestEnded();
      listening.metrics().request(exchange.command(), Outcome.CLIENT_GONE);
      if (exchange.parts() != null && !exchange.isComplete()) {
        exchange.parts().cancel();
        worker.exchanges().give(exchange);
      } else if (exchange.isComplete() || exchange.server() == null) {
        worker.exchanges().give(exchange);
      } else {
        exchange.forget(); // its reply is dropped when it comes
      }
    }
    List<Resumable> servers = List.copyOf(congested);
    congested.clear();
    servers.forEach(Resumable::resumed);
  }

  /** Releases what a half-read request left. */
  protected abstract void release();
}
