package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Exchange.Requester;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.RingQueue;
import sluice.gateway.listener.Listening;
import sluice.gateway.loop.Connection;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Changes;
import sluice.gateway.net.ClientAddress;
import sluice.gateway.net.Sockets;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LoopClient;
import sluice.gateway.session.Worker;
import sluice.names.Command;

/**
 * A client's exchanges in the order of its requests, and their replies, each of which is written
 * when those before it have been. Servers stop reading for a client that does not take its replies.
 */
abstract class OrderedReplies extends Connection implements Requester, LoopClient {
  private static final Logger LOG = LoggerFactory.getLogger(OrderedReplies.class);

  /** Too many requests in flight, or with servers that have yet to answer what others have. */
  static final int WINDOW = 1;

  /** The client does not read its replies. */
  static final int OUTPUT = 1 << 1;

  /** A server connection is being made, or does not take more. */
  static final int SERVER = 1 << 2;

  /** All earlier requests must be answered first. */
  static final int BARRIER = 1 << 3;

  /** The process has buffered too much. */
  static final int MEMORY = 1 << 4;

  /** No more requests are taken; the connection closes when all are answered. */
  static final int ENDING = 1 << 5;

  /** A lent connection has been asked for. */
  static final int LENDING = 1 << 6;

  /** Another request reads the same key. */
  static final int NEAR = 1 << 7;

  /** It has had enough of this turn; the event loop's other clients come first. */
  static final int TURN = 1 << 8;

  private static final int TIGHT_OUT_BUFFER = 64 * 1024;

  /** So often a client must have been seen like that before it is closed for it. */
  static final int LOOKS = 2;

  public final Worker worker;
  protected final Listening listening;
  protected final RingQueue<Exchange> ring = new RingQueue<>();

  /** Bytes of requests among those {@link #hold held} for this client. */
  protected long heldInput;

  private long heldValues; // of requests, too, or of replies that will be
  private long joined; // bytes of replies that are put together, and for which there is room

  private final List<Resumable> congested = new ArrayList<>(2);
  private final ReplyWindow window;
  private int owed; // requests that servers have yet to answer, and clients need not wait for
  private boolean settling;
  private final Runnable takesMore = this::outputTaken;
  private final long outBuffer;
  private long stalledSince;
  private int stallLooks; // since then
  private long taken; // by the socket, in bytes, when it was last looked at
  private long untaken; // then
  private long takenAt; // when it was seen that something had been taken
  private int looks; // since then: the event loop itself may have stood still for a while
  private boolean withheld;
  private boolean abandoned; // the reply whose turn it is
  private int writes = -1;
  private Changes changes; // that the request which is being looked at will make, or null
  private long changed;

  OrderedReplies(Worker worker, Listening listening) {
    super(worker.loop(), listening.limits().outBufferBytes());
    this.worker = worker;
    this.takenAt = loop.now();
    this.listening = listening;
    this.outBuffer = listening.limits().outBufferBytes();
    this.window = new ReplyWindow(listening.limits().inFlight(), outBuffer);
  }

  /** An exchange has left the ring; it is not used afterwards. */
  protected abstract void answered(Exchange exchange);

  /**
   * Counts bytes of a request's value that is gathered, or sent by and by, or of a reply's that has
   * not come yet; negative: no longer.
   */
  public final void holdValue(long delta) {
    heldValues += delta;
    hold(delta);
  }

  /** So many more bytes of replies are being put together, and may be held; negative: no longer. */
  public final void joins(long delta) {
    joined += delta;
  }

  /** The next new exchange's request has a value of so many bytes. */
  public final void writes(int valueBytes) {
    writes = valueBytes;
  }

  /** A new exchange at the end of the ring; the ring must not be full. */
  public final Exchange newExchange(Command command, Grammar grammar, int hides) {
    Exchange exchange = worker.exchanges().take().start(this, command, grammar, hides, loop.now());
    if (changes != null) {
      exchange.guard(changes, changed);
      changes = null;
    }
    ring.add(exchange);
    loop.metrics().requestStarted();
    if (writes >= 0) {
      loop.metrics().valueWritten(writes);
      writes = -1;
    }
    if (loop.samples().hasNoted(listening)) {
      exchange.note(loop.samples().noted());
    }
    if (isWindowFull()) {
      pause(WINDOW);
    }
    return exchange;
  }

  private boolean isWindowFull() {
    return window.isFull(ring.size() + owed);
  }

  private boolean isWindowOpen() {
    return window.isOpen(ring.size() + owed);
  }

  /**
   * So many more requests of this client are with servers, though their answers have been given;
   * negative: no longer. They count as if it waited for them.
   */
  public final void owes(int more) {
    owed += more;
    if (more > 0 && isWindowFull()) {
      pause(WINDOW);
    } else if (more < 0 && isPaused(WINDOW) && !settling && isWindowOpen() && lives()) {
      settling = true;
      channel().eventLoop().execute(this::settled); // whoever tells is in the middle of something
    }
  }

  private void outputTaken() {
    if (lives()) {
      loop.beginTurn();
      process();
    }
  }

  private void settled() {
    settling = false;
    if (lives() && isPaused(WINDOW)) {
      loop.tick();
      goOnBehindReplies();
    }
  }

  /**
   * The request that is being looked at changes something: until its exchange is given back, near
   * caches know of it.
   *
   * @param concerned null if it changes nothing, or nothing that is cached
   * @param what as in {@link Changes}
   */
  public final void changes(Changes concerned, long what) {
    changes = concerned;
    changed = what;
  }

  // --- answering ----------------------------------------------------------------------------

  /**
   * Answers a request here, in its turn. Consumes reply, which may be empty or null for silence.
   */
  public final void answer(Command command, Outcome outcome, ByteBuf reply) {
    Exchange exchange = newExchange(command, Grammar.LINE, Exchange.HIDE_NOTHING);
    exchange.outcome(outcome);
    answer(exchange, reply);
  }

  /**
   * As {@link #answer(Command, Outcome, ByteBuf)}, of a reply in two pieces. Consumes both, of
   * which head may be null.
   */
  public final void answer(Command command, Outcome outcome, ByteBuf head, ByteBuf rest) {
    Exchange exchange = newExchange(command, Grammar.LINE, Exchange.HIDE_NOTHING);
    exchange.outcome(outcome);
    if (head != null) {
      exchange.hold(head);
    }
    answer(exchange, rest);
  }

  /** Answers an exchange of the ring here. Consumes reply, which may be null for silence. */
  public final void answer(Exchange exchange, ByteBuf reply) {
    if (reply != null) {
      exchange.hold(reply);
    }
    exchange.complete();
    if (ring.peek() == exchange) {
      advance();
    }
  }

  /** Whether replies wait until the client has sent the whole of its request. */
  final void withhold(boolean withheld) {
    this.withheld = withheld;
  }

  /** Fails an exchange of the ring. */
  public final void fail(Exchange exchange, String reason) {
    exchange.outcome(Outcome.SERVER_DOWN);
    answer(exchange, exchange.hides() == Exchange.HIDE_ALL ? null : failureReply(exchange, reason));
  }

  /** Takes no more requests, and closes when those before are answered. */
  public final void end() {
    pause(ENDING);
    if (ring.isEmpty()) {
      leave();
    }
  }

  /** Whether its requests are carried out: its socket is open, or was closed behind them. */
  abstract boolean lives();

  /** All is answered, and nothing more will be asked: closes. */
  abstract void leave();

  /** Goes on with what was read, in a task of its own: who asks may be in the middle of it. */
  final void goOnLater() {
    channel().eventLoop().execute(takesMore);
  }

  @Override
  public final boolean isTurnOf(Exchange exchange) {
    return !withheld && ring.peek() == exchange;
  }

  @Override
  public final void reply(ByteBuf bytes) {
    int count = bytes.readableBytes();
    window.wrote(count);
    loop.metrics().bytes(Direction.CLIENT_OUT, count);
    write(bytes);
  }

  @Override
  public final void reply(ByteBuf source, int from, int length) {
    window.wrote(length);
    loop.metrics().bytes(Direction.CLIENT_OUT, length);
    write(source, from, length);
  }

  @Override
  public final boolean completed(Exchange exchange) {
    leaveRing();
    Exchange next = ring.peek();
    if (next == null) {
      return isPaused();
    }
    return next.isComplete() || next.pieceCount() > 0 || next.parts() != null || isPaused(WINDOW);
  }

  /** The first exchange of the ring is answered. */
  private void leaveRing() {
    Exchange exchange = ring.poll();
    window.replied();
    loop.metrics().requestEnded();
    long nanos = loop.now() - exchange.started();
    if (exchange.hides() == Exchange.HIDE_ALL) {
      listening.metrics().request(exchange.command(), exchange.outcome());
    } else {
      listening
          .metrics()
          .request(exchange.command(), exchange.outcome(), nanos, nanos - exchange.serverNanos());
    }
    log(exchange, exchange.outcome(), nanos);
    answered(exchange);
    worker.exchanges().give(exchange);
  }

  /** Tells of a request that ended, if a log wants it. */
  final void log(Exchange exchange, Outcome outcome, long nanos) {
    if (loop.samples().wants(nanos)) {
      loop.samples()
          .ended(
              listening.name(),
              ClientAddress.of(channel()),
              exchange.command(),
              outcome,
              exchange.note(),
              exchange.asked() == null ? null : exchange.asked().serverName(),
              nanos,
              exchange.serverNanos());
    }
  }

  @Override
  public final void advance() {
    Exchange exchange;
    while (!withheld && (exchange = ring.peek()) != null) {
      if (exchange.isComplete() || exchange.isLong(ServerConnection.STREAM_FROM)) {
        exchange.writePieces();
      }
      if (!exchange.isComplete()) {
        if (exchange.parts() != null) {
          exchange.parts().turn();
        }
        break;
      }
      leaveRing();
    }
    if (!congested.isEmpty()) {
      relieve();
    }
    if (isPaused()) {
      goOnBehindReplies();
    }
  }

  private void goOnBehindReplies() {
    if (ring.isEmpty()) {
      if (isPaused(ENDING)) {
        leave();
        return;
      }
      resume(BARRIER);
    }
    if (isWindowOpen()) {
      resume(WINDOW);
    }
    process();
  }

  @Override
  public final void abandon(String reason) {
    LOG.info("listener {}: a client is closed inside a reply: {}", listening.name(), reason);
    abandoned = true;
    close();
    deafen();
    if (!isOpen() && lives()) {
      endAbandoned();
    }
  }

  /** Once the socket is closed, nothing waits behind a reply whose end does not come. */
  final void endAbandoned() {
    Exchange first = ring.peek();
    if (abandoned && first != null) {
      abandoned = false;
      first.complete();
      advance();
    }
  }

  // --- back-pressure ------------------------------------------------------------------------

  @Override
  public final boolean isCongested(boolean next) {
    long pending = pendingBytes();
    long all = pending + Math.max(0, heldBytes() - heldInput - heldValues - joined);
    long waiting = next || isJoining() ? pending : all;
    // A value of a read that was split is held until it is whole, also when it comes next.
    return waiting > outBuffer || (all > TIGHT_OUT_BUFFER && loop.memory().isTight());
  }

  /**
   * Whether the reply whose turn it is asks for more by and by: what that is, is behind replies
   * that have been asked for before, which have to be read first.
   */
  private boolean isJoining() {
    Exchange first = ring.peek();
    return first != null && first.parts() != null && first.parts().isJoining();
  }

  @Override
  public final boolean needsNext(Exchange exchange) {
    Exchange first = ring.peek();
    return isTurnOf(exchange)
        || (first != null
            && exchange.gathering() != null
            && first.parts() == exchange.gathering()
            && first.parts().awaits(exchange));
  }

  @Override
  public final boolean congests(Resumable server) {
    if (congested.contains(server)) {
      return false;
    }
    if (congested.isEmpty()) {
      stalledSince = loop.now();
      stallLooks = 0;
      worker.stalled().add(this);
    }
    congested.add(server);
    return true;
  }

  @Override
  public final boolean holdsUp(Resumable server) {
    return congested.contains(server);
  }

  @Override
  public final void relieve() {
    if (congested.isEmpty()) {
      return;
    }
    for (Resumable server : List.copyOf(congested)) {
      boolean goesOn = !isOpen() || isDeaf() || !isCongested(server.bringsNextOf(this));
      if (goesOn && congested.remove(server)) {
        server.resumed();
      }
    }
    if (congested.isEmpty()) {
      worker.stalled().remove(this);
    }
  }

  @Override
  public final String listenerName() {
    return listening.name();
  }

  @Override
  public final long allHeldBytes() {
    return pendingBytes() + heldBytes();
  }

  /** When it was last seen that the client took something, or nothing waited for it. */
  final long takenAt() {
    return takenAt;
  }

  @Override
  public final void sweepOutput() {
    account();
    long takenNow = takenBytes();
    long pending = pendingBytes();
    looks++;
    if (pending == 0 || untaken == 0 || takenNow != taken) {
      takenAt = loop.now();
      looks = 0;
    }
    taken = takenNow;
    untaken = pending;
  }

  @Override
  public final long stallNanos() {
    return listening.limits().stallMillis() * 1_000_000L;
  }

  /**
   * Whether servers have been kept from being read for too long.
   *
   * @param halvings how often the time is halved in which it has to take something
   */
  @Override
  public final boolean congestsTooLong(int halvings) {
    if (congested.isEmpty()) {
      return false;
    }
    stallLooks++;
    long now = loop.now();
    // Progress, however slow, is no stall, as long as there is memory for it. Nothing may wait for
    // it but what is held until its turn, and there is no memory for that.
    boolean progresses = untaken > 0 && loop.memory().isRelaxed();
    long since = progresses ? Math.max(stalledSince, takenAt) : stalledSince;
    if (stallLooks > LOOKS && now - since > stallNanos()) {
      return !progresses || !isTaking(stallNanos());
    }
    return halvings > 0
        && looks >= LOOKS
        && now - Math.max(stalledSince, takenAt) > stallNanos() >> halvings
        && !(progresses && isTaking(stallNanos() >> halvings));
  }

  /** Asks the kernel whether the client reads, where the socket has not taken anything lately. */
  private boolean isTaking(long nanos) {
    if (!isOpen() || isDeaf() || !Sockets.isTaking(channel(), nanos / 1_000_000)) {
      return false;
    }
    takenAt = loop.now();
    looks = 0;
    return true;
  }

  @Override
  public final boolean hoardsTooLong() {
    return looks >= LOOKS && untaken > TIGHT_OUT_BUFFER && loop.now() - takenAt > stallNanos();
  }

  @Override
  public final void channelWritabilityChanged(ChannelHandlerContext ctx) {
    loop.tick();
    if (ctx.channel().isWritable()) {
      resume(OUTPUT);
      relieve();
      goOnLater(); // what empties the socket may be in the middle of a request
    } else if (!awaitsFlush() && !isDeaf()) {
      pause(OUTPUT);
    }
    ctx.fireChannelWritabilityChanged();
  }

  /** Not before: most of what waits longer than a turn's writing leaves with its flush. */
  @Override
  protected final void flushed() {
    if (isOpen() && !isDeaf() && !channel().isWritable()) {
      pause(OUTPUT);
    }
  }

  /** Resumes all servers that do not read because of this client, whatever waits for it. */
  protected final void releaseServers() {
    List<Resumable> servers = List.copyOf(congested);
    congested.clear();
    servers.forEach(Resumable::resumed);
  }
}
