package sluice.gateway.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import java.io.IOException;
import sluice.codecs.ProtocolException;
import sluice.codecs.memcached.Command;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.Requester;
import sluice.gateway.tls.TlsException;

/**
 * One connection to a server: requests in order on one side, their replies in the same order on the
 * other.
 */
public abstract class ServerConnection extends ReplyStream {
  private static final int LEAST_READ = 16 * 1024;
  private static final int MOST_READ = 64 * 1024;
  private static final int CONGESTED = 1;
  private static final int MOST_TURNS = 16;

  /** One after the other; to look at no sockets takes half a microsecond. */
  private static final int MOST_EMPTY_TURNS = 2;

  private static final int ENOUGH_TO_SEND = 16 * 1024;

  private boolean usable;
  private boolean accepting = true;
  private int congestions;
  private long pausedAt;
  private long pausedTotal;
  private long lastUsed;
  private long lastPing;
  private long lastRead;
  private boolean asked; // whether it is there: nothing is sent before the answer has come
  private String closeReason;

  private final long opened;
  private int slot;
  private boolean lent;

  private BridgedReply bridged; // only where something is bridged

  private int nextOpaque;
  private long bytesReported;
  private int unflushed;
  private int emptyTurns; // since one brought a request
  private int counted; // of those unflushed, at the end of the turn before

  protected ServerConnection(Server server) {
    super(server);
    this.lastUsed = server.loop().now();
    this.lastRead = lastUsed;
    this.lastPing = lastUsed;
    this.opened = lastUsed;
  }

  /** Which of the server's shared connections this is; -1 if it is one to lend. */
  final int slot() {
    return slot;
  }

  final void slot(int slot) {
    this.slot = slot;
  }

  /** Whether a borrower has it. */
  final boolean isLent() {
    return lent;
  }

  final void lent(boolean lent) {
    this.lent = lent;
  }

  /** Nanoseconds since it was made. */
  final long age() {
    return loop.now() - opened;
  }

  /** The server that this is a connection to. */
  public final Server server() {
    return server;
  }

  // --- requests -----------------------------------------------------------------------------

  /** Puts exchange behind all others; its request's bytes must be written next. */
  public final void expect(Exchange exchange) {
    exchange.sentTo(this, pausedTotal);
    queue.add(exchange);
    unflushed++;
    lastUsed = loop.now();
  }

  /**
   * Exchange, which was put behind all others just now, is a read: its request, [from, to) of in,
   * may be sent again. Borrows in.
   */
  public final void mayRepeat(Exchange exchange, ByteBuf in, int from, int to) {
    if (server.repeats()) {
      exchange.remember(in, from, to);
    }
  }

  /** A value for the opaque of the next request: told apart from all that are under way. */
  public final int nextOpaque() {
    nextOpaque = (nextOpaque + 1) & 0x7FFFFFFF;
    return nextOpaque;
  }

  /** Whether new requests may be put on it. */
  public final boolean isAccepting() {
    return usable && accepting && isOpen();
  }

  /** Whether it has been probed and found good. */
  public final boolean isUsable() {
    return usable && isOpen();
  }

  /** Requests that wait for a reply. */
  public final int inFlight() {
    return queue.size();
  }

  /** Takes no new requests from now on, and closes when all are answered. */
  public final void retire() {
    accepting = false;
    closeIfDone();
  }

  private void closeIfDone() {
    if (!accepting && queue.isEmpty() && congestions == 0 && !server.isCurrent(this)) {
      close();
    }
  }

  // --- replies ------------------------------------------------------------------------------

  @Override
  public final void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    loop.beginTurn();
    lastRead = loop.now();
    server.bytesIn(bytes.readableBytes());
    try {
      if (usable) {
        read(bytes);
        if (asked && queue.isEmpty()) {
          asked = false;
          server.wake();
        }
        closeIfDone();
      } else if (isOpen() && probe(bytes)) {
        usable = true;
        server.probed(this);
      }
    } catch (ProtocolException e) {
      server.protocolError(e.getMessage());
      fail(e.getMessage());
    } finally {
      bytes.release();
    }
  }

  /** What reads the replies to bridged requests. */
  final BridgedReply bridged() {
    if (bridged == null) {
      bridged = new BridgedReply(this);
    }
    return bridged;
  }

  @Override
  protected final boolean holdsWhole() {
    return bridged != null && bridged.isGathering();
  }

  /** What is said of bytes, [from, to) of in, that are no reply to exchange. */
  final ProtocolException unexpected(ByteBuf in, int from, int to, Exchange exchange) {
    return new ProtocolException(
        "server "
            + server.name()
            + " broke the protocol: found "
            + Excerpt.of(in, from, to)
            + ", expected the reply to "
            + exchange.command().label());
  }

  /** Asks the server what it is; called once, when the connection is open. */
  protected abstract void sendProbe();

  /**
   * Reads the answer to the probe. Borrows bytes.
   *
   * @return whether the answer is whole, and good
   */
  protected abstract boolean probe(ByteBuf bytes);

  /** Whether the first reply has begun and is not whole. */
  protected abstract boolean isInsideReply();

  /** Whether the first reply has begun and cannot be ended by an error instead. */
  protected abstract boolean isInsideValue();

  // --- back-pressure ------------------------------------------------------------------------

  @Override
  protected final void checkCongestion(Requester requester, Exchange exchange) {
    if (requester.isCongested(exchange) && isOpen() && requester.congests(this)) {
      accepting = false;
      if (congestions++ == 0) {
        pausedAt = loop.now();
        pause(CONGESTED);
      }
    }
  }

  @Override
  public final Exchange nextOf(Requester requester) {
    for (int i = 0; i < queue.size(); i++) {
      if (queue.get(i).requester() == requester) {
        return queue.get(i);
      }
    }
    return null;
  }

  @Override
  public final void resumed() {
    if (--congestions == 0) {
      pausedTotal += Math.max(0, loop.now() - pausedAt);
      lastRead = loop.now();
      resume(CONGESTED);
      if (server.isCurrent(this)) {
        accepting = !hasLateReplies();
      }
      closeIfDone();
    }
  }

  @Override
  public final void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (isOpen() && channel().isWritable()) {
      server.wake();
    }
    ctx.fireChannelWritabilityChanged();
  }

  // --- time and death -----------------------------------------------------------------------

  /** Whether a reply is overdue whose requester was answered already. */
  private boolean hasLateReplies() {
    Exchange first = queue.peek();
    return first != null && first.requester() == null && isOverdue(first, 1);
  }

  private boolean isOverdue(Exchange exchange, int times) {
    long waited = loop.now() - exchange.started() - (pausedTotal - exchange.pausedBefore());
    return waited > times * server.timeoutNanos();
  }

  /** Called every few milliseconds: answers for the server what it has not answered in time. */
  final void sweep() {
    if (!usable || !isOpen() || queue.isEmpty()) {
      return;
    }
    if (congestions > 0) {
      timeOutOthers();
      return;
    }
    Exchange first = queue.peek();
    if (first.grammar() == Grammar.STREAM) {
      return;
    }
    if (isInsideReply() && loop.now() - lastRead > server.timeoutNanos()) {
      fail("server " + server.name() + " stopped in the middle of a reply");
      return;
    }
    int waiting = isInsideReply() ? 1 : 0; // whose reply has begun is being served
    if (waiting == queue.size() || !isOverdue(queue.get(waiting), 1)) {
      return;
    }
    if (waiting == 0 && isOverdue(first, 2)) {
      fail("server " + server.name() + " did not answer");
      return;
    }
    accepting = false; // until the late replies have come
    server.replace(this);
    for (int i = waiting; i < queue.size(); i++) {
      Exchange exchange = queue.get(i);
      if (!isOverdue(exchange, 1)) {
        break;
      }
      if (exchange.requester() != null) {
        timeOut(exchange);
      } else if (!exchange.isLate()) {
        server.timedOut(exchange); // a copy that is not waited for any more, or its client is gone
      }
    }
  }

  /**
   * Paused, time does not count against the server; but who is not the reason for the pause, or for
   * one after the other, waits no longer than twice the timeout.
   */
  private void timeOutOthers() {
    for (int i = isInsideReply() ? 1 : 0; i < queue.size(); i++) {
      Exchange exchange = queue.get(i);
      if (loop.now() - exchange.started() <= 2 * server.timeoutNanos()) {
        break;
      }
      if (exchange.requester() != null && !exchange.requester().holdsUp(this)) {
        timeOut(exchange);
      }
    }
  }

  private void timeOut(Exchange exchange) {
    String reason = "server " + server.name() + " timed out";
    server.timedOut(exchange);
    if (exchange.gathering() != null) {
      exchange.gathering().partCompleted(exchange, reason);
      exchange.forget();
      return;
    }
    Requester requester = exchange.requester();
    Exchange standIn = requester.standIn(exchange);
    exchange.forget();
    standIn.outcome(exchange.outcome());
    answer(standIn, reason);
  }

  /** Answers exchange, whose place is in no queue any more, with the reason why it has no reply. */
  static void answer(Exchange exchange, String reason) {
    Requester requester = exchange.requester();
    if (exchange.gathering() != null) {
      exchange.complete();
      exchange.gathering().partCompleted(exchange, reason);
      return;
    }
    if (exchange.hides() != Exchange.HIDE_ALL) {
      exchange.hold(requester.failureReply(exchange, reason));
    }
    exchange.complete();
    requester.advance();
  }

  /** Closes the connection for a reason, which everybody is told who waits for a reply. */
  public final void fail(String reason) {
    if (closeReason == null) {
      closeReason = reason;
    }
    abort();
  }

  @Override
  protected final void lost(IOException failure) {
    if (failure instanceof TlsException) {
      fail("server " + server.name() + ": " + failure.getMessage());
    }
  }

  @Override
  protected final void closed() {
    String reason =
        closeReason != null ? closeReason : "server " + server.name() + " closed the connection";
    flushRun();
    boolean insideReply = isInsideReply();
    boolean insideValue = isInsideValue();
    int lost = queue.size();
    if (server.repeats()) {
      Retries.forgetOvertaken(queue);
    }
    for (int i = 0; i < lost; i++) {
      Exchange exchange = queue.poll();
      if (exchange.requester() == null) {
        server.exchanges().give(exchange);
      } else if ((i == 0 && insideReply) || !server.asksAgain(exchange)) {
        lose(exchange, i == 0 && insideValue, reason);
      }
    }
    release();
    server.closed(this, usable, reason, lost);
  }

  private void lose(Exchange exchange, boolean insideValue, String reason) {
    if (exchange.gathering() != null) {
      answer(exchange, reason);
    } else if (exchange.command() == Command.SHUTDOWN
        || (exchange.isCommitted() && (insideValue || !endsWithError(exchange)))) {
      exchange.requester().abandon(reason);
    } else {
      server.lost(exchange);
      if (!exchange.isCommitted()) {
        exchange.releasePieces();
      }
      answer(exchange, reason);
    }
  }

  /**
   * With others in flight the server is busy anyway: requests are sent together as long as a turn
   * in three brings more of them, for some turns and up to a few segments. One alone never waits.
   */
  @Override
  protected final boolean waitsForMore(int turns) {
    emptyTurns = unflushed > counted ? 0 : emptyTurns + 1;
    counted = unflushed;
    return emptyTurns <= MOST_EMPTY_TURNS
        && turns < MOST_TURNS
        && usable
        && queue.size() > 1
        && pendingBytes() < ENOUGH_TO_SEND;
  }

  @Override
  protected final void flushed() {
    for (int i = Math.max(0, queue.size() - unflushed); i < queue.size(); i++) {
      queue.get(i).flushed(loop.now());
    }
    server.sent(unflushed);
    unflushed = 0;
    counted = 0;
    emptyTurns = 0;
    long written = bytesWritten();
    server.bytesOut(written - bytesReported);
    bytesReported = written;
  }

  private static boolean endsWithError(Exchange exchange) {
    return switch (exchange.grammar()) {
      case VALUES, STATS -> true; // an error line in place of END ends the reply
      default -> false;
    };
  }

  /** Releases what a half-read reply left. */
  protected abstract void release();

  /** Says something if nothing waits and nothing was sent for this long. */
  final void pingIfSilentFor(long nanos) {
    if (queue.isEmpty() && isAccepting() && loop.now() - Math.max(lastUsed, lastPing) > nanos) {
      long used = lastUsed;
      ping();
      lastUsed = used; // it is idle all the same
    }
  }

  private void ping() {
    lastPing = loop.now();
    Exchange ping = server.exchanges().take();
    ping.start(null, Command.NOOP, Grammar.PACKET, Exchange.HIDE_ALL, loop.now());
    expect(ping);
    writePing(ping);
  }

  /** Whether the server has said nothing for so long that it may be gone. */
  final boolean isStale(long nanos) {
    return loop.now() - lastRead > nanos;
  }

  /**
   * Whether a request may be sent without further ado. A server that has said nothing for a while
   * may be gone, and a request that is sent then would be lost: so it is asked first, and whoever
   * has waited for the server is told of the answer.
   *
   * @param nanos how long silence means nothing
   */
  final boolean isThere(long nanos) {
    if (asked) {
      return false;
    }
    if (!queue.isEmpty() || !isStale(nanos)) {
      return true;
    }
    asked = true;
    ping();
    return false;
  }

  /** Writes the request of an exchange whose reply is dropped. */
  protected abstract void writePing(Exchange ping);

  /** Whether nothing waits and nothing was sent for this long. */
  final boolean isIdleFor(long nanos) {
    return queue.isEmpty() && congestions == 0 && loop.now() - lastUsed > nanos;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    super.handlerAdded(ctx);
    // Replies of many clients come at once: one read should take them all.
    ctx.channel()
        .config()
        .setRecvByteBufAllocator(
            new AdaptiveRecvByteBufAllocator(LEAST_READ, MOST_READ / 2, MOST_READ));
    sendProbe();
  }
}
