package sluice.gateway.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import sluice.codecs.ProtocolException;
import sluice.codecs.memcached.Command;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Gathering;
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

  /** Another event loop has yet to read what it was given. */
  private static final int BEHIND = 1 << 1;

  /** Of opaques, where event loops share connections: the rest says whose they are. */
  private static final int OPAQUE_BITS = 22;

  private static final int MOST_PIPES = 0x7FFFFFFF >>> OPAQUE_BITS;

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
  private long pausedBefore; // the last read: nanoseconds
  private boolean asked; // whether it is there: nothing is sent before the answer has come
  private String closeReason;

  private final long opened;
  private int slot;
  private boolean lent;

  private BridgedReply bridged; // only where something is bridged

  private final GuestEnd guest; // null: it has a socket
  private final List<HostEnd> guests = new ArrayList<>(0); // who use it on other event loops
  private int pipes; // that there ever were
  private int guestsBehind;
  private boolean leaving; // from its host's connection, when all is answered
  private int unflushedOfGuests;

  private final int firstOpaque;
  private final int lastOpaque;
  private int nextOpaque;
  private long bytesReported;
  private int unflushed;
  private int emptyTurns; // since one brought a request
  private int counted; // of those unflushed, at the end of the turn before

  /**
   * A connection to server.
   *
   * @param guest its pipe to another event loop's connection; null if it has a socket
   */
  protected ServerConnection(Server server, GuestEnd guest) {
    super(server);
    this.guest = guest;
    this.firstOpaque = guest == null ? 0 : guest.firstOpaque();
    this.lastOpaque = server.isShared() ? (1 << OPAQUE_BITS) - 1 : Integer.MAX_VALUE;
    this.lastUsed = server.loop().now();
    this.lastRead = lastUsed;
    this.pausedBefore = pausedNanos();
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

  /** Whether it is one to lend. */
  final boolean isToLend() {
    return slot == Server.TO_LEND;
  }

  /** Its pipe to another event loop's connection; null if it has a socket. */
  final GuestEnd guest() {
    return guest;
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
    exchange.sentTo(this, pausedNanos());
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
    nextOpaque = (nextOpaque + 1) & lastOpaque;
    return firstOpaque | nextOpaque;
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

  /** Requests of this event loop that wait for a reply. */
  final int ownInFlight() {
    if (guests.isEmpty()) {
      return queue.size();
    }
    int own = 0;
    for (int i = 0; i < queue.size(); i++) {
      own += queue.get(i).isForeign() ? 0 : 1;
    }
    return own;
  }

  /** Takes no new requests from now on, and closes when all are answered. */
  public final void retire() {
    acceptNoMore();
    closeIfDone();
  }

  /** Whoever has no request on it goes elsewhere with the next. */
  private void acceptNoMore() {
    if (accepting) {
      accepting = false;
      if (!isToLend()) {
        for (int i = 0; i < guests.size(); i++) {
          guests.get(i).dismiss();
        }
      }
    }
  }

  final void closeIfDone() {
    if (accepting || !queue.isEmpty() || congestions > 0 || !guests.isEmpty()) {
      return;
    }
    if (leaving) {
      fail(Server.IDLE);
    } else if (!server.isCurrent(this)) {
      close();
    }
  }

  // --- guests of other event loops ------------------------------------------------------------

  /** The end of a pipe that another event loop uses this through, from now on. */
  final HostEnd takeIn(GuestEnd of, Sharing sharing) {
    pipes = pipes % MOST_PIPES + 1;
    HostEnd end = new HostEnd(this, of, sharing, pipes << OPAQUE_BITS);
    end.paused(isPaused(), pausedTotal);
    guests.add(end);
    return end;
  }

  /** The last so many requests that are expected are of another event loop. */
  final void isOfGuests(int requests) {
    unflushedOfGuests += requests;
  }

  /** An event loop uses this no more: the replies to what it asked are dropped. */
  final void leaves(HostEnd end) {
    guests.remove(end);
    for (int i = 0; i < queue.size(); i++) {
      Exchange exchange = queue.get(i);
      if (exchange.requester() == end) {
        exchange.late(); // of which its own loop has taken note
        exchange.forget();
      }
    }
  }

  /** A guest has yet to read what it was given. */
  final void waitsForGuest() {
    if (guestsBehind++ == 0) {
      stopReading(BEHIND);
    }
  }

  final void waitsForGuestNoMore() {
    if (--guestsBehind == 0) {
      readAgain(BEHIND);
    }
  }

  private void tellGuestsOfPause() {
    for (int i = 0; i < guests.size(); i++) {
      guests.get(i).paused(isPaused(), pausedTotal);
    }
  }

  /** As a guest: goes to another connection with the next request, and closes when all is done. */
  final void leaveWhenDone() {
    accepting = false;
    leaving = true;
    closeIfDone();
  }

  /** As a guest: what could not leave before may leave now. */
  final void flushThisTurn() {
    flushInThisTurn();
  }

  /** Whether it is closed because nobody needed it, with nothing left on it. */
  final boolean isClosedIdle() {
    return Server.IDLE.equals(closeReason) && queue.isEmpty();
  }

  /** What has been read of the head of a reply, and was not taken; null if nothing was. */
  protected abstract ByteBuf carried();

  /** They are told why, behind all that was read. */
  private void endGuests(String reason) {
    Exchange first = queue.peek();
    ByteBuf part = carried();
    if (first != null && first.isForeign() && first.requester() != null && part != null) {
      first.requester().reply(part, part.readerIndex(), part.readableBytes());
    }
    for (int i = 0; i < guests.size(); i++) {
      guests.get(i).end(reason);
    }
    guests.clear();
  }

  // --- replies ------------------------------------------------------------------------------

  @Override
  public final void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    loop.beginTurn();
    heard();
    if (guest == null) {
      server.bytesIn(bytes.readableBytes());
    }
    try {
      if (usable) {
        read(bytes);
        if (asked) { // whatever is behind the answer: other event loops do not wait for it
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
      if (guest != null) {
        guest.poison(e.getMessage());
      }
      fail(e.getMessage());
    } finally {
      bytes.release();
      for (int i = 0; i < guests.size(); i++) {
        guests.get(i).handOver();
      }
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

  @Override
  protected final Gathering takeContinued() {
    return bridged == null ? null : bridged.takeContinued();
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
      acceptNoMore();
      if (congestions++ == 0) {
        stopReading(CONGESTED);
      }
    }
  }

  private void stopReading(int reason) {
    if (!isPaused()) {
      pausedAt = loop.now();
    }
    pause(reason);
    tellGuestsOfPause();
  }

  private void readAgain(int reason) {
    resume(reason);
    if (!isPaused()) {
      pausedTotal += Math.max(0, loop.now() - pausedAt);
      heard();
    }
    tellGuestsOfPause();
  }

  /** Time begins anew that the server may let pass inside a reply. */
  private void heard() {
    lastRead = loop.now();
    pausedBefore = pausedNanos();
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
      readAgain(CONGESTED);
      if (server.isCurrent(this) && !leaving) {
        accepting = !hasLateReplies();
      }
      closeIfDone();
    }
  }

  @Override
  public final void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (isOpen() && channel().isWritable()) {
      for (int i = 0; i < guests.size(); i++) {
        guests.get(i).tellIfTaken();
      }
      server.wake();
    }
    ctx.fireChannelWritabilityChanged();
  }

  // --- time and death -----------------------------------------------------------------------

  /** Whether a reply is overdue whose requester was answered already. */
  private boolean hasLateReplies() {
    Exchange first = queue.peek();
    return first != null && (first.requester() == null || first.isForeign()) && isOverdue(first, 1);
  }

  private boolean isOverdue(Exchange exchange, int times) {
    long waited = loop.now() - exchange.started() - (pausedNanos() - exchange.pausedBefore());
    return waited > times * server.timeoutNanos();
  }

  /** For how long in all it was not read, because of somebody who does not take replies. */
  private long pausedNanos() {
    return guest == null ? pausedTotal : pausedTotal + guest.hostPausedNanos();
  }

  /** For how long the server has said nothing, as far as it was listened to. */
  private long silentNanos() {
    return loop.now() - lastRead - (pausedNanos() - pausedBefore);
  }

  private boolean isHeldUp() {
    return isPaused() || (guest != null && guest.isHostPaused());
  }

  private void sweepGuests() {
    for (int i = guests.size() - 1; i >= 0; i--) {
      HostEnd end = guests.get(i);
      end.relieve();
      end.tellIfTaken();
      if (guestsBehind > 0) {
        checkCongestion(end, null); // one that is behind may have stopped reading altogether
      }
    }
  }

  /** Called every few milliseconds: answers for the server what it has not answered in time. */
  final void sweep() {
    if (!guests.isEmpty()) {
      sweepGuests();
      if (isToLend()) {
        return; // the guest says how long it waits
      }
    }
    if (!usable || !isOpen() || queue.isEmpty()) {
      return;
    }
    if (isHeldUp()) {
      timeOutOthers();
      return;
    }
    Exchange first = queue.peek();
    if (first.grammar() == Grammar.STREAM) {
      return;
    }
    if (isInsideReply() && silentNanos() > server.timeoutNanos()) {
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
    acceptNoMore(); // until the late replies have come
    server.replace(this);
    for (int i = waiting; i < queue.size(); i++) {
      Exchange exchange = queue.get(i);
      if (!isOverdue(exchange, 1)) {
        break;
      }
      if (exchange.isForeign()) {
        continue; // its own loop answers it
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
      // Of a guest whose host alone does not read, the client that it waits for may be this one,
      // which has begun to read again.
      boolean waits =
          congestions > 0
              ? loop.now() - exchange.started() <= 2 * server.timeoutNanos()
              : !isOverdue(exchange, 2);
      if (waits) {
        break;
      }
      if (exchange.requester() != null
          && !exchange.isForeign()
          && !exchange.requester().holdsUp(this)) {
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
    accepting = false; // it is open until its loop's next task
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
    if (!guests.isEmpty()) {
      endGuests(reason);
    }
    if (server.repeats()) {
      Retries.forgetOvertaken(queue);
    }
    for (int i = 0; i < lost; i++) {
      Exchange exchange = queue.poll();
      if (exchange.requester() == null || exchange.isForeign()) {
        server.exchanges().give(exchange);
      } else if ((i == 0 && insideReply) || !server.asksAgain(exchange)) {
        lose(exchange, i == 0 && insideValue, reason);
      }
    }
    release();
    Gathering continued = takeContinued();
    if (continued != null) {
      continued.cancel();
    }
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
    return guest == null // else the host waits
        && emptyTurns <= MOST_EMPTY_TURNS
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
    server.sent(unflushed - unflushedOfGuests);
    if (guest != null) {
      guest.handOver(queue, unflushed);
    }
    unflushedOfGuests = 0;
    unflushed = 0;
    counted = 0;
    emptyTurns = 0;
    long written = bytesWritten();
    if (guest == null) {
      server.bytesOut(written - bytesReported);
    }
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
    return queue.isEmpty() && congestions == 0 && guests.isEmpty() && loop.now() - lastUsed > nanos;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    super.handlerAdded(ctx);
    if (guest != null) {
      usable = true; // its host has probed the server
      server.probed(this);
      return;
    }
    // Replies of many clients come at once: one read should take them all.
    ctx.channel()
        .config()
        .setRecvByteBufAllocator(
            new AdaptiveRecvByteBufAllocator(LEAST_READ, MOST_READ / 2, MOST_READ));
    sendProbe();
  }
}
