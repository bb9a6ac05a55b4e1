package sluice.gateway.server;

import java.util.ArrayList;
import java.util.List;
import sluice.gateway.exchange.ExchangePool;
import sluice.gateway.exchange.RingQueue;
import sluice.gateway.exchange.ServerRequest;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.metrics.ServerMetrics;
import sluice.gateway.server.connection.ConnectionOwner;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.ServerTransport;
import sluice.gateway.server.connection.Slot;
import sluice.gateway.server.health.Health;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.Reports;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.server.protocol.ServerProtocol;
import sluice.gateway.server.protocol.text.TextProtocol;
import sluice.gateway.server.shared.GuestEnd;
import sluice.gateway.server.shared.SharedServer;
import sluice.gateway.server.shared.Sharing;
import sluice.gateway.tls.Dialer;

/**
 * One server of a pool, as one event loop sees it in one dialect: its shared connections, and those
 * that are lent to one client for one large request.
 *
 * <p>A connection is usable once its probe was answered.
 *
 * <p>Where event loops share connections ({@link SharedServer}), those of a <em>guest</em> are
 * pipes to its host's: made when the host has one, lost when the host's is, and otherwise like any
 * other. What befalls a server is told by whoever has the socket.
 */
public final class Server
    implements ConnectionOwner<ServerConnection>,
        GuestEnd.Owner,
        Dials.Owner,
        Slots.Owner,
        Lending.Owner,
        Reception.Owner,
        SharedServer.View {

  private final Loop loop;
  private final ServerStatus status;
  private final ServerProtocol protocol;
  private final ServerSettings settings;
  private final Health health;
  private final Sharing sharing; // null, as the next two: nothing is shared
  private final SharedServer shared;
  private final Reception reception;

  private final ServerContext context;
  private final Reports reports;
  private final Dials dials;
  private final Slots slots;
  private final Lending lending;
  private final Lending lendingForWhole;
  private final Waiters waiters;
  private final Retries repeated;
  private final List<ServerConnection> all = new ArrayList<>();
  private boolean closed;
  private boolean retired;
  private String ejectedFor = "";
  private String ejected = "";
  private Runnable wantedAgain; // once it has left; null while it is there
  private volatile int inFlightSeen;
  private volatile int connectionsSeen;

  public Server(
      Loop loop,
      Dialer dialer,
      ExchangePool exchanges,
      ServerStatus status,
      ServerProtocol protocol,
      ServerSettings settings,
      LoopMetrics loopMetrics) {
    this(loop, dialer, exchanges, status, protocol, settings, loopMetrics, null, null);
  }

  /**
   * One whose connections are shared with other event loops.
   *
   * @param sharing how they are reached
   * @param shared what they all know of it
   */
  public Server(
      Loop loop,
      Dialer dialer,
      ExchangePool exchanges,
      ServerStatus status,
      ServerProtocol protocol,
      ServerSettings settings,
      LoopMetrics loopMetrics,
      Sharing sharing,
      SharedServer shared) {
    this.loop = loop;
    this.status = status;
    this.protocol = protocol;
    this.settings = settings;
    this.waiters = new Waiters(loop);
    this.health = status.health();
    this.sharing = sharing;
    this.shared = shared;
    ServerMetrics metrics =
        settings.address() == null ? null : loopMetrics.server(status.pool(), status.name());
    this.reports = new Reports(loop, status, loopMetrics, metrics);
    this.context =
        new ServerContext(
            loop, exchanges, status, reports, settings.timeoutNanos(), settings.login());
    this.dials = new Dials(this, dialer, settings, sharing, shared);
    int count =
        shared == null
            ? settings.perEventLoop()
            : Math.max(1, shared.connectionsOf(sharing.index()));
    this.slots = new Slots(count, this, dials, health, settings.probeAfterNanos());
    this.lending = lending(Slot.TO_LEND);
    this.lendingForWhole = lending(Slot.TO_LEND_FOR_WHOLE);
    this.repeated = new Retries(context, settings.retries(), settings.retryShare());
    this.reception = shared == null ? null : new Reception(this, slots, sharing, shared);
  }

  private Lending lending(int slot) {
    return new Lending(this, loop, slot, settings.streams(), settings.probeAfterNanos());
  }

  /** It is there for other event loops, too: to be called once, when it is in its pool. */
  public void begin() {
    if (shared != null) {
      shared.seenAs(sharing.index(), this);
    }
  }

  /** Stands for the servers of a pool without any: requests fail at once, and say so. */
  public static Server nobody(
      Loop loop, ExchangePool exchanges, String pool, LoopMetrics loopMetrics) {
    ServerSettings settings = new ServerSettings(null, null, null, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
    ServerStatus status = new ServerStatus(pool, "none");
    Server nobody =
        new Server(loop, null, exchanges, status, TextProtocol.INSTANCE, settings, loopMetrics);
    nobody.slots.unavailable("pool " + pool + " has no servers");
    return nobody;
  }

  Loop loop() {
    return loop;
  }

  /** What its connections need to know of it. */
  @Override
  public ServerContext context() {
    return context;
  }

  /** What its connections tell of what befalls them. */
  Reports reports() {
    return reports;
  }

  /** Whether this is the text side of the server. */
  public boolean isText() {
    return protocol.side() == ServerStatus.Side.TEXT;
  }

  /** Its identity in the pool. */
  public String name() {
    return status.name();
  }

  /** What is known of it beyond this event loop. */
  public ServerStatus status() {
    return status;
  }

  /** How long one request may wait here: for a connection, to be sent, and for its reply. */
  public long patienceNanos() {
    return settings.connectTimeoutNanos()
        + settings.queueTimeoutNanos()
        + 2 * settings.timeoutNanos();
  }

  /** The server did not take the login: answer, which people are shown, has nothing of it. */
  @Override
  public void loginRefused(ServerConnection connection, String answer) {
    String reason = "server " + name() + " refuses the login";
    if (connection.isToLend()) {
      lendingOf(connection.slot()).loginRefused(reason, settings.probeAfterNanos());
    }
    connection.fail(reason, reason + " of " + settings.login().user() + ": \"" + answer + "\"");
  }

  // --- shared connections -------------------------------------------------------------------

  /**
   * The shared connection for a client, which takes requests now; null if there is none: then
   * either {@link #unavailable} says why, or {@link #await} tells when to try again.
   */
  public ServerConnection connection(int client) {
    return health.isEjected() ? null : slots.connection(client);
  }

  /** Why requests fail at once; null if they need not. */
  @Override
  public String unavailable() {
    String reason = slots.unavailable();
    return reason == null && health.isEjected() ? ejected() : reason;
  }

  /** Requests come here although the server is ejected: there is no other to go to. */
  private String ejected() {
    String why = health.ejectedFor();
    if (!why.equals(ejectedFor)) {
      ejectedFor = why;
      ejected = "server " + name() + " is ejected: " + why;
    }
    return ejected;
  }

  /** Whether requests had better go elsewhere, where there is an elsewhere. */
  public boolean isDown() {
    return health.isEjected() || slots.areUnavailable();
  }

  /** How long replies have taken of late, on this loop, in nanoseconds; 0 before the first. */
  public long recentNanos() {
    return reports.recentNanos();
  }

  /** A request has failed for {@link #unavailable} reasons. */
  public void refused() {
    reports.refused(unavailable());
  }

  /** Tells waiter, once, when something has changed. */
  public void await(ServerWaiter waiter) {
    waiters.add(waiter);
  }

  /** Makes the first connections before anybody asks, and learns what the server is. */
  public void warmUp() {
    if (settings.address() != null) {
      slots.warmUp();
    }
  }

  @Override
  public void wake() {
    waiters.wake();
  }

  /** A connection, whose handler is yet to be put on what it writes to. */
  @Override
  public ServerConnection made(int slot, ServerTransport transport) {
    ServerConnection connection = new ServerConnection(this, slot, protocol, transport);
    all.add(connection);
    return connection;
  }

  // --- connections of other event loops -----------------------------------------------------

  /** Whether event loops share its connections. */
  @Override
  public boolean isShared() {
    return shared != null;
  }

  @Override
  public void takeIn(GuestEnd guest) {
    reception.takeIn(guest);
  }

  /** As a guest: the host has a connection. */
  @Override
  public void reached(GuestEnd end) {
    ServerConnection connection = made(end.slot(), end);
    end.begin(connection);
    if (closed) {
      connection.fail("closing");
    }
  }

  /** As a guest: the host has no connection. */
  @Override
  public void notReached(int slot, String reason) {
    failed(slot, reason, reason);
  }

  @Override
  public void isBack() {
    slots.hostIsBack();
  }

  private void turnGuestsAway(String reason) {
    if (reception != null) {
      reception.turnAllAway(reason);
    }
  }

  /**
   * No connection came of it.
   *
   * @param reason as clients are told
   * @param detail as people are told
   */
  @Override
  public void failed(int slot, String reason, String detail) {
    loop.tick();
    if (slot >= 0) {
      slots.failed(slot, reason);
      if (isServing() && dials.isOwn(slot)) {
        status.down(protocol.side(), detail);
        refused();
      }
      turnGuestsAway(reason);
    } else if (Slot.isToLend(slot)) {
      lendingOf(slot).notMade();
    }
    if (slot != Slot.TO_ASK) {
      if (slot >= 0) {
        repeated.fail(reason, 0);
      }
      refuseLoans(reason);
      wake();
    }
  }

  private void refuseLoans(String reason) {
    lending.refuseAll(reason);
    lendingForWhole.refuseAll(reason);
  }

  /** The probe of connection was answered well. */
  @Override
  public void probed(ServerConnection connection) {
    int slot = connection.slot();
    if (slot >= 0) {
      slots.made(connection);
      if (connection.hasSocket()) {
        status.up(protocol.side());
        if (reception != null) {
          reception.takeInAll(connection);
        }
      }
      repeated.send(connection);
      wake();
    } else if (Slot.isToLend(slot)) {
      lendingOf(slot).made(connection);
    } else {
      health.answeredProbe(loop.now());
      connection.fail(ServerConnection.IDLE);
    }
  }

  /** Whether new requests go to connection, as soon as it takes them. */
  @Override
  public boolean isCurrent(ServerConnection connection) {
    return connection.slot() < 0 || slots.has(connection);
  }

  /** Connection takes no new requests for a while: another takes its place. */
  @Override
  public void replace(ServerConnection connection) {
    if (connection.slot() >= 0) {
      slots.replace(connection);
    }
  }

  @Override
  public void closed(
      ServerConnection connection, boolean usable, String reason, String detail, int lost) {
    all.remove(connection);
    if (connection.isToLend()) {
      lendingOf(connection.slot()).closed(connection);
    }
    int slot = connection.slot();
    if (slot >= 0) {
      slots.closed(connection, usable && !reason.equals(ServerConnection.IDLE));
    }
    if (!usable) {
      failed(slot, reason, detail);
      return;
    }
    if (lost > 0 && !closed && connection.hasSocket()) {
      reports.connectionLost(lost, detail);
    }
    askAgain();
    wake();
    lending.serve();
    lendingForWhole.serve();
  }

  /** Those whose connection is gone go to another, if there is one; else one is made. */
  private void askAgain() {
    if (repeated.isEmpty()) {
      return;
    }
    if (closed) {
      repeated.fail("the gateway is stopping", 0);
      return;
    }
    ServerConnection connection = connection(0);
    if (connection != null) {
      repeated.send(connection);
    } else if (unavailable() != null) {
      repeated.fail(unavailable(), 0);
    }
  }

  // --- lent connections ---------------------------------------------------------------------

  /** Lends a connection as soon as there is one. */
  public void lend(Lending.Borrower borrower) {
    lending.lend(borrower);
  }

  /**
   * Lends a connection, as soon as there is one, for a request that is here as a whole: no client
   * that stops sending keeps one of these.
   */
  public void lendForWhole(Lending.Borrower borrower) {
    lendingForWhole.lend(borrower);
  }

  /** A borrower does without the connection that it {@linkplain #lend waits} for. */
  public void doesNotWait(Lending.Borrower borrower) {
    lending.forget(borrower);
  }

  @Override
  public void lendToGuest(int slot, Lending.Borrower guest) {
    lendingOf(slot).lendToGuest(guest);
  }

  private Lending lendingOf(int slot) {
    return slot == Slot.TO_LEND ? lending : lendingForWhole;
  }

  /** Whether one who waits for {@link #lend} waits for others, not for a connection being made. */
  public boolean hasLentAll() {
    return shared == null ? lending.hasLentAll() : !shared.lendsAtOnce();
  }

  /** Whether {@link #lend} has a connection at once, or makes one. */
  public boolean lendsAtOnce() {
    return lending.isFree() && (shared == null || shared.lendsAtOnce());
  }

  /** Whether a connection is left to lend: other event loops that ask this one know it. */
  @Override
  public void lends(int slot, boolean atOnce) {
    if (shared != null && slot == Slot.TO_LEND && dials.isOwn(Slot.TO_LEND)) {
      shared.lendsAtOnce(atOnce);
    }
  }

  /** The borrower is done; the connection is kept for the next one if nothing is left on it. */
  @Override
  public void giveBack(ServerConnection connection) {
    lendingOf(connection.slot()).giveBack(connection);
  }

  /** The borrower keeps the connection for good: another may be lent in its place. */
  @Override
  public void detach(ServerConnection connection) {
    lendingOf(connection.slot()).detach(connection);
  }

  /** Whether somebody waits for a connection alone, or may wait on another event loop. */
  public boolean lacksConnections() {
    return shared != null || lending.isAwaited();
  }

  /** Makes a connection to be lent. */
  @Override
  public void openToLend(int slot) {
    dials.open(slot);
  }

  // --- reads that are asked again -----------------------------------------------------------

  /** Whether reads are remembered, to be asked again. */
  @Override
  public boolean repeats() {
    return repeated.areOn();
  }

  @Override
  public void loses(RingQueue<ServerRequest> queue) {
    repeated.forgetOvertaken(queue);
  }

  /** Takes request, whose connection was lost before its reply began; false if it fails. */
  @Override
  public boolean asksAgain(ServerRequest request) {
    return !closed && repeated.take(request);
  }

  @Override
  public void sent(int requests) {
    repeated.sent(requests);
  }

  /** A reply broke the protocol: counts it, and says so once. */
  public void protocolError(String message) {
    reports.protocolError(message);
  }

  // --- time ---------------------------------------------------------------------------------

  /** Called every few milliseconds. */
  public void sweep() {
    long now = loop.now();
    int inFlight = 0;
    int connections = 0;
    for (int i = 0; i < all.size(); i++) {
      inFlight += all.get(i).ownInFlight();
      connections += all.get(i).hasSocket() ? 1 : 0;
    }
    inFlightSeen = inFlight;
    connectionsSeen = connections;
    for (int i = all.size() - 1; i >= 0; i--) {
      if (i < all.size()) {
        sweep(all.get(i));
      }
    }
    if (health.isEjected()) {
      wake(); // they fail at once
      refuseLoans(ejected());
    }
    if (!waiters.isEmpty()) {
      waiters.sweep(
          now, settings.queueTimeoutNanos(), "server " + name() + " was not ready in time");
    }
    lending.sweep(settings.queueTimeoutNanos());
    lendingForWhole.sweep(settings.queueTimeoutNanos());
    if (!repeated.isEmpty()) {
      repeated.fail("server " + name() + " timed out", settings.timeoutNanos());
    }
    if (isServing() && dials.isOwn(0) && health.claimsProbe(now)) {
      dials.open(Slot.TO_ASK);
    }
    if (isServing() && !health.isEjected()) {
      slots.sweep(now);
    }
  }

  private void sweep(ServerConnection connection) {
    if (!connection.isUsable()) {
      if (connection.age() > settings.connectTimeoutNanos()) {
        connection.fail("server " + name() + " did not answer the probe in time");
      }
      return;
    }
    connection.account();
    connection.sweep();
    boolean idles = settings.idleNanos() > 0 && connection.isIdleFor(settings.idleNanos());
    if (idles || (retired && connection.isIdleFor(0))) {
      connection.fail(ServerConnection.IDLE);
    } else if (settings.pingAfterNanos() > 0 && connection.hasSocket()) {
      connection.pingIfSilentFor(settings.pingAfterNanos());
    }
  }

  /**
   * It has left its pool: whoever waits for it looks where else to go, what is in flight is
   * answered, and connections close when nothing is on them.
   */
  public void retire() {
    retired = true;
    if (shared != null) {
      shared.retire();
    }
    wake();
  }

  /**
   * It is gone, and out of its pool; sweeps end.
   *
   * @param wantedAgain runs when a request that was routed before needs a connection after all, as
   *     one does that is made of the reply to another: sweeps begin again
   */
  public void left(Runnable wantedAgain) {
    this.wantedAgain = wantedAgain;
    if (shared != null) {
      shared.left(sharing.index());
    }
  }

  /** A connection is about to be made: what has left is swept again until that is gone too. */
  @Override
  public void isWanted() {
    if (wantedAgain != null) {
      Runnable told = wantedAgain;
      wantedAgain = null;
      if (shared != null) {
        shared.returned(sharing.index());
      }
      told.run();
    }
  }

  /** Whether no other connection is made. */
  @Override
  public boolean isClosed() {
    return closed;
  }

  /** Whether it is in its pool, and the gateway goes on. */
  @Override
  public boolean isServing() {
    return !closed && !retired;
  }

  /** Whether it is retired and nothing is left of it. */
  public boolean isGone() {
    return retired
        && all.isEmpty()
        && lending.isIdle()
        && lendingForWhole.isIdle()
        && waiters.isEmpty()
        && !dials.areUnderWay()
        && !slots.areConnecting()
        && (shared == null || shared.isLeftTo(sharing.index()));
  }

  /** Requests that wait for a reply, as of the last sweep; from any thread. */
  public int inFlight() {
    return inFlightSeen;
  }

  /** Open connections of this event loop, as of the last sweep; from any thread. */
  public int connections() {
    return connectionsSeen;
  }

  /** Closes all connections; no other is made. */
  public void close() {
    closed = true;
    for (ServerConnection connection : List.copyOf(all)) {
      connection.fail("the gateway is stopping");
    }
    turnGuestsAway("the gateway is stopping");
  }
}
