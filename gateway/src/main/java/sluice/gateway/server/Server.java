package sluice.gateway.server;

import sluice.gateway.exchange.ExchangePool;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.metrics.ServerMetrics;
import sluice.gateway.server.connection.ServerConnection;
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
 * other.
 */
public final class Server implements SharedServer.View {
  private final ServerProtocol protocol;
  private final ServerStatus status;
  private final ServerSettings settings;
  private final Sharing sharing; // null, as the next: nothing is shared
  private final SharedServer shared;
  private final Reports reports;
  private final ServerConnections connections;

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
    this.status = status;
    this.protocol = protocol;
    this.settings = settings;
    this.sharing = sharing;
    this.shared = shared;
    ServerMetrics metrics =
        settings.address() == null ? null : loopMetrics.server(status.pool(), status.name());
    reports = new Reports(loop, status, loopMetrics, metrics);
    ServerContext context =
        new ServerContext(
            loop, exchanges, status, reports, settings.timeoutNanos(), settings.login());
    connections = new ServerConnections(context, protocol, settings, dialer, sharing, shared);
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
    nobody.connections.slots().unavailable("pool " + pool + " has no servers");
    return nobody;
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

  // --- shared connections -------------------------------------------------------------------

  /**
   * The shared connection for a client, which takes requests now; null if there is none: then
   * either {@link #unavailable} says why, or {@link #await} tells when to try again.
   */
  public ServerConnection connection(int client) {
    return connections.connection(client);
  }

  /** Why requests fail at once; null if they need not. */
  public String unavailable() {
    return connections.unavailable();
  }

  /** Whether requests had better go elsewhere, where there is an elsewhere. */
  public boolean isDown() {
    return status.health().isEjected() || connections.slots().areUnavailable();
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
    connections.waiters().add(waiter);
  }

  /** Makes the first connections before anybody asks, and learns what the server is. */
  public void warmUp() {
    if (settings.address() != null) {
      connections.slots().warmUp();
    }
  }

  @Override
  public void takeIn(GuestEnd guest) {
    connections.takeIn(guest);
  }

  @Override
  public void isBack() {
    connections.slots().hostIsBack();
  }

  // --- exclusive connections ----------------------------------------------------------------

  /** Lends a connection as soon as there is one. */
  public void lend(Lending.Borrower borrower) {
    connections.exclusive().forAny().lend(borrower);
  }

  /**
   * Lends a connection, as soon as there is one, for a request that is here as a whole: no client
   * that stops sending keeps one of these.
   */
  public void lendForWhole(Lending.Borrower borrower) {
    connections.exclusive().forWhole().lend(borrower);
  }

  /** A borrower does without the connection that it {@linkplain #lend waits} for. */
  public void doesNotWait(Lending.Borrower borrower) {
    connections.exclusive().forAny().forget(borrower);
  }

  /** Whether one who waits for {@link #lend} waits for others, not for a connection being made. */
  public boolean hasLentAll() {
    return shared == null ? connections.exclusive().forAny().hasLentAll() : !shared.lendsAtOnce();
  }

  /** The borrower is done; the connection is kept for the next one if nothing is left on it. */
  public void giveBack(ServerConnection connection) {
    connections.giveBack(connection);
  }

  /** The borrower keeps the connection for good: another may be lent in its place. */
  public void detach(ServerConnection connection) {
    connections.detach(connection);
  }

  /** Whether {@link #lend} has a connection at once, or makes one. */
  public boolean lendsAtOnce() {
    return connections.exclusive().forAny().isFree() && (shared == null || shared.lendsAtOnce());
  }

  /** Whether somebody waits for a connection alone, or may wait on another event loop. */
  public boolean lacksConnections() {
    return shared != null || connections.exclusive().forAny().isAwaited();
  }

  /** A reply broke the protocol: counts it, and says so once. */
  public void protocolError(String message) {
    reports.protocolError(message);
  }

  // --- time ---------------------------------------------------------------------------------

  /** Called every few milliseconds. */
  public void sweep() {
    connections.sweep();
  }

  /**
   * It has left its pool: whoever waits for it looks where else to go, what is in flight is
   * answered, and connections close when nothing is on them.
   */
  public void retire() {
    connections.retire();
  }

  /**
   * It is gone, and out of its pool; sweeps end.
   *
   * @param wantedAgain runs when a request that was routed before needs a connection after all, as
   *     one does that is made of the reply to another: sweeps begin again
   */
  public void left(Runnable wantedAgain) {
    connections.left(wantedAgain);
  }

  /** Whether it is retired and nothing is left of it. */
  public boolean isGone() {
    return connections.areGone();
  }

  /** Requests that wait for a reply, as of the last sweep; from any thread. */
  public int inFlight() {
    return connections.open().inFlight();
  }

  /** Open connections of this event loop, as of the last sweep; from any thread. */
  public int connections() {
    return connections.open().sockets();
  }

  /** Closes all connections; no other is made. */
  public void close() {
    connections.close();
  }
}
