package sluice.gateway.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import java.io.IOException;
import sluice.codecs.ProtocolException;
import sluice.codecs.memcached.ServerVersion;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.ExchangeQueue;
import sluice.gateway.exchange.Gathering;
import sluice.gateway.exchange.RequestConnection;
import sluice.gateway.exchange.Requester;
import sluice.gateway.tls.TlsException;

/**
 * One connection to a server: requests in order on one side, their replies in the same order on the
 * other.
 */
public abstract class ServerConnection extends ReplyStream
    implements RequestConnection, Retries.Connection {
  /** What a connection tells its server, and asks of it. */
  interface Owner {
    /** What its connections need to know of it. */
    ServerContext context();

    /** Whether event loops share its connections. */
    boolean isShared();

    /** The probe of connection was answered well. */
    void probed(ServerConnection connection);

    /** The server did not take the login: answer, which people are shown, has nothing of it. */
    void loginRefused(ServerConnection connection, String answer);

    /** Whether new requests go to connection, as soon as it takes them. */
    boolean isCurrent(ServerConnection connection);

    /** Connection takes no new requests for a while: another takes its place. */
    void replace(ServerConnection connection);

    /** Connection is closed, with so many requests that have no reply. */
    void closed(
        ServerConnection connection, boolean usable, String reason, String detail, int lost);

    /** The borrower is done; the connection is kept for the next one if nothing is left on it. */
    void giveBack(ServerConnection connection);

    /** The borrower keeps the connection for good: another may be lent in its place. */
    void detach(ServerConnection connection);

    /** Whether reads are remembered, to be asked again. */
    boolean repeats();

    /** Takes exchange, whose connection was lost before its reply began; false if it fails. */
    boolean asksAgain(Exchange exchange);

    /** So many requests have left. */
    void sent(int requests);

    /** Tells those who wait that something has changed. */
    void wake();
  }

  /** What leads to another event loop's connection, in place of a socket. */
  interface Pipe extends ReadPauses.Host {
    /** The first opaque of this pipe's own, among those of one connection. */
    int firstOpaque();

    /** So many more requests, the last in queue, have left. */
    void handOver(ExchangeQueue queue, int added);

    /** The server broke the protocol: nobody may use the connection any more. */
    void poison(String reason);

    /** The connection is never given back. */
    void keep();
  }

  /** Why a connection is closed that nobody needs. */
  static final String IDLE = "idle";

  private static final int LEAST_READ = 16 * 1024;
  private static final int MOST_READ = 64 * 1024;

  /** How often it is read in a turn as long as each reading fills its buffer (ADR 0040). */
  private static final int READS = 8;

  /** A client, or another event loop, has yet to take what it was given. */
  private static final int CONGESTED = 1;

  private static final int ENOUGH_TO_SEND = 16 * 1024;

  private final Owner server;
  private final long opened;
  private final Pipe guest; // null: it has a socket
  private final Opaques opaques;
  private final ReadPauses pauses;
  private final KeepAlive keepAlive;
  private final Timeouts timeouts;
  private final Unflushed unflushed = new Unflushed();
  private final Guests guests;
  private final SlowClients slowClients;
  private BridgedReply bridged; // only where something is bridged

  private int slot;
  private boolean lent;
  private boolean detached;
  private boolean usable;
  private boolean accepting = true;
  private boolean leaving; // from its host's connection, when all is answered
  private long bytesReported;
  private String closeReason;
  private boolean closedForClient;
  private ServerVersion version; // null until the server has told it, and of a guest
  private String closeDetail;

  /**
   * A connection to server.
   *
   * @param guest its pipe to another event loop's connection; null if it has a socket
   */
  protected ServerConnection(Owner server, Pipe guest) {
    super(server.context());
    this.server = server;
    this.guest = guest;
    this.opened = loop.now();
    opaques = new Opaques(guest == null ? 0 : guest.firstOpaque(), server.isShared());
    pauses = new ReadPauses(loop, guest);
    keepAlive = new KeepAlive(new Pinged(), context, queue, pauses);
    timeouts = new Timeouts(new Watched(), context, queue, pauses);
    guests = new Guests(this, queue, pauses);
    slowClients = new SlowClients(this, queue, loop, this::stopReading, this::readAgain);
  }

  /** As {@link KeepAlive} sees it. */
  private final class Pinged implements KeepAlive.Pinged {
    @Override
    public boolean isAccepting() {
      return ServerConnection.this.isAccepting();
    }

    @Override
    public void ping(Exchange ping) {
      expect(ping);
      writePing(ping);
    }
  }

  /** As {@link Timeouts} sees it. */
  private final class Watched implements Timeouts.Watched {
    @Override
    public boolean isInsideReply() {
      return ServerConnection.this.isInsideReply();
    }

    @Override
    public boolean isCongested() {
      return ServerConnection.this.isCongested();
    }

    @Override
    public boolean isHeldUpBy(Requester requester) {
      return requester.holdsUp(ServerConnection.this);
    }

    @Override
    public void standAside() {
      acceptNoMore();
      server.replace(ServerConnection.this);
    }

    @Override
    public void fail(String reason) {
      ServerConnection.this.fail(reason);
    }

    @Override
    public void failForClient(String reason) {
      ServerConnection.this.failForClient(reason);
    }
  }

  /** As its probe sees it. */
  class ProbedConnection implements Probed {
    @Override
    public void send(ByteBuf bytes) {
      write(bytes);
    }

    @Override
    public void version(ServerVersion told) {
      version = told;
      context.status().version(told);
    }

    @Override
    public void loginRefused(String answer) {
      server.loginRefused(ServerConnection.this, answer);
    }

    @Override
    public void fail(String reason, String detail) {
      ServerConnection.this.fail(reason, detail);
    }
  }

  /** Which of the server's shared connections this is; negative if it is none. */
  final int slot() {
    return slot;
  }

  final void slot(int slot) {
    this.slot = slot;
  }

  /** Whether it is one to lend. */
  final boolean isToLend() {
    return Slot.isToLend(slot);
  }

  /** Its pipe to another event loop's connection; null if it has a socket. */
  final Pipe guest() {
    return guest;
  }

  /** Whether a borrower has it. */
  final boolean isLent() {
    return lent;
  }

  final void lent(boolean lent) {
    this.lent = lent;
  }

  /** Its borrower keeps it. */
  final void detach() {
    detached = true;
    if (guest != null) {
      guest.keep();
    }
  }

  @Override
  protected final boolean isDetached() {
    return detached;
  }

  /** Nanoseconds since it was made. */
  final long age() {
    return loop.now() - opened;
  }

  /** The server that this is a connection to. */
  final Owner server() {
    return server;
  }

  /** Whether both connections lead to the same server. */
  public final boolean isToSameServerAs(ServerConnection other) {
    return server == other.server;
  }

  @Override
  public final String serverName() {
    return context.name();
  }

  @Override
  public final boolean isAnotherToSameServer(RequestConnection other) {
    return this != other && other instanceof ServerConnection same && same.server == server;
  }

  /**
   * The version of the process at the other end: servers of one pool, and one after another at one
   * address, may differ.
   */
  public final ServerVersion version() {
    if (version != null) {
      return version;
    }
    ServerVersion told = context.status().version();
    return told == null ? ServerVersion.UNKNOWN : told;
  }

  // --- requests -----------------------------------------------------------------------------

  @Override
  public final void expect(Exchange exchange) {
    exchange.sentTo(this, pauses.all());
    queue.add(exchange);
    unflushed.add();
    keepAlive.used();
  }

  /**
   * Exchange, which was put behind all others just now, is a read: its request, [from, to) of in,
   * may be sent again. Borrows in.
   */
  public final void mayRepeat(Exchange exchange, ByteBuf in, int from, int to) {
    if (server.repeats()) {
      exchange.sent().remember(in, from, to);
    }
  }

  /** A value for the opaque of the next request: told apart from all that are under way. */
  public final int nextOpaque() {
    return opaques.next();
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
    return queue.size() - guests.inFlight();
  }

  /** Takes no new requests from now on, and closes when all are answered. */
  public final void retire() {
    acceptNoMore();
    closeIfDone();
  }

  /** Whoever has no request on it goes elsewhere with the next. */
  final void acceptNoMore() {
    if (accepting) {
      accepting = false;
      if (!isToLend()) {
        guests.dismiss();
      }
    }
  }

  final void closeIfDone() {
    if (accepting || !queue.isEmpty() || slowClients.hasClients() || !guests.isEmpty()) {
      return;
    }
    if (leaving) {
      fail(IDLE);
    } else if (!server.isCurrent(this)) {
      close();
    }
  }

  // --- between event loops --------------------------------------------------------------------

  /** Who use it on other event loops. */
  final Guests guests() {
    return guests;
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
    return IDLE.equals(closeReason) && queue.isEmpty();
  }

  /** What has been read of the head of a reply, and was not taken; null if nothing was. */
  protected abstract ByteBuf carried();

  // --- replies ------------------------------------------------------------------------------

  @Override
  public final void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    loop.beginTurn();
    pauses.heard();
    if (guest == null) {
      reports.bytesIn(bytes.readableBytes());
    }
    try {
      if (usable) {
        read(bytes);
        if (keepAlive.takeAnswer()) { // whatever is behind it: other loops do not wait for it
          server.wake();
        }
        closeIfDone();
      } else if (isOpen() && probe(bytes)) {
        usable = true;
        server.probed(this);
      }
    } catch (ProtocolException e) {
      if (detached) {
        // A list of keys holds what clients have written: it is not the server that fails.
        failForClient(context.brokeProtocol());
        return;
      }
      reports.protocolError(e.getMessage());
      if (guest != null) {
        guest.poison(context.brokeProtocol());
      }
      fail(context.brokeProtocol(), e.getMessage());
    } finally {
      bytes.release();
      guests.handOver();
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
  protected final Gathering takeContinued() {
    return bridged == null ? null : bridged.takeContinued();
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
    slowClients.checkMemory();
    if (requester.isCongested(exchange) && isOpen() && requester.congests(this)) {
      acceptNoMore();
      slowClients.add();
    }
  }

  /** Whether it is not read because of who does not take replies. */
  final boolean isCongested() {
    return slowClients.hasClients();
  }

  /** Guests have yet to read what they were given, or no longer. */
  final void waitsForGuests(boolean now) {
    slowClients.behind(now);
  }

  private void stopReading() {
    pauses.begin();
    pause(CONGESTED);
    guests.tellOfPause();
  }

  private void readAgain() {
    resume(CONGESTED);
    if (!isPaused() && pauses.isPausing()) {
      pauses.end();
    }
    guests.tellOfPause();
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
    slowClients.remove();
    if (!slowClients.hasClients()) {
      if (server.isCurrent(this) && !leaving) {
        accepting = !timeouts.isOwedLateReply();
      }
      closeIfDone();
    }
  }

  @Override
  public final void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (isOpen() && channel().isWritable()) {
      guests.tellIfTaken();
      server.wake();
    }
    ctx.fireChannelWritabilityChanged();
  }

  // --- time and death -----------------------------------------------------------------------

  /** Called every few milliseconds: answers for the server what it has not answered in time. */
  final void sweep() {
    if (!guests.isEmpty()) {
      guests.sweep();
      if (isToLend()) {
        return; // the guest says how long it waits
      }
    }
    if (usable && isOpen() && !queue.isEmpty()) {
      slowClients.sweep(isInsideReply(), context.timeoutNanos());
      timeouts.sweep();
    }
  }

  /** Closes the connection for a reason, which everybody is told who waits for a reply. */
  public final void fail(String reason) {
    fail(reason, reason);
  }

  /**
   * As {@link #fail(String)}, for a reason that is the client's: the server is as healthy as
   * before.
   */
  public final void failForClient(String reason) {
    closedForClient = true;
    fail(reason);
  }

  /**
   * As {@link #fail(String)}.
   *
   * @param detail what people are told, who may know more than clients
   */
  final void fail(String reason, String detail) {
    if (closeReason == null) {
      closeReason = reason;
      closeDetail = detail;
    }
    accepting = false; // it is open until its loop's next task
    abort();
  }

  @Override
  protected final void lost(IOException failure) {
    if (failure instanceof TlsException) {
      fail(
          usable ? "server " + context.name() + " broke TLS" : context.unreachable(Unreachable.TLS),
          "server " + context.name() + ": " + failure.getMessage());
    }
  }

  @Override
  protected final void closed() {
    String reason =
        closeReason != null ? closeReason : "server " + context.name() + " closed the connection";
    flushRun();
    boolean insideReply = isInsideReply();
    boolean insideValue = isInsideValue();
    int lost = queue.size();
    if (!guests.isEmpty()) {
      guests.end(reason);
    }
    if (server.repeats()) {
      Retries.forgetOvertaken(queue);
    }
    for (int i = 0; i < lost; i++) {
      Exchange exchange = queue.poll();
      if (exchange.requester() == null || exchange.isForeign()) {
        context.exchanges().give(exchange);
      } else if ((i == 0 && insideReply) || !server.asksAgain(exchange)) {
        Unanswered.lose(exchange, context.reports(), i == 0 && insideValue, reason);
      }
    }
    release();
    Gathering continued = takeContinued();
    if (continued != null) {
      continued.cancel();
    }
    int lostByServer = closedForClient ? 0 : lost;
    String detail = closeDetail == null ? reason : closeDetail;
    server.closed(this, usable, reason, detail, lostByServer);
  }

  /**
   * With others in flight the server is busy anyway: requests are sent together as long as a turn
   * in three brings more of them, for some turns and up to a few segments. One alone never waits.
   */
  @Override
  protected final boolean waitsForMore(int turns) {
    boolean more = unflushed.waitForMore(turns);
    return more
        && guest == null // else the host waits
        && usable
        && queue.size() > 1
        && pendingBytes() < ENOUGH_TO_SEND;
  }

  @Override
  protected final void flushed() {
    int requests = unflushed.take();
    for (int i = Math.max(0, queue.size() - requests); i < queue.size(); i++) {
      queue.get(i).flushed(loop.now());
    }
    server.sent(requests - guests.takeUnflushed());
    if (guest != null) {
      guest.handOver(queue, requests);
    }
    long written = bytesWritten();
    if (guest == null) {
      reports.bytesOut(written - bytesReported);
    }
    bytesReported = written;
  }

  /** Releases what a half-read reply left. */
  protected abstract void release();

  /** Says something if nothing waits and nothing was sent for this long. */
  final void pingIfSilentFor(long nanos) {
    keepAlive.pingIfSilentFor(nanos);
  }

  /** Whether the server has said nothing for so long that it may be gone. */
  final boolean isStale(long nanos) {
    return pauses.sinceHeard() > nanos;
  }

  /**
   * Whether a request may be sent without further ado. A server that has said nothing for a while
   * may be gone, and a request that is sent then would be lost: so it is asked first, and whoever
   * has waited for the server is told of the answer.
   *
   * @param nanos how long silence means nothing
   */
  final boolean isThere(long nanos) {
    return keepAlive.isThere(nanos);
  }

  /** Writes the request of an exchange whose reply is dropped. */
  protected abstract void writePing(Exchange ping);

  /** Whether nothing waits and nothing was sent for this long. */
  final boolean isIdleFor(long nanos) {
    return queue.isEmpty()
        && !slowClients.hasClients()
        && guests.isEmpty()
        && keepAlive.isUnusedFor(nanos);
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
            new AdaptiveRecvByteBufAllocator(LEAST_READ, MOST_READ / 2, MOST_READ)
                .maxMessagesPerRead(READS));
    sendProbe();
  }
}
