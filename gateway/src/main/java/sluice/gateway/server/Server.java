package sluice.gateway.server;

import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.metrics.ServerMetrics;
import sluice.gateway.request.RequestPool;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.ServerTransport;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.Reports;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.server.protocol.ServerProtocol;
import sluice.gateway.server.protocol.text.TextProtocol;
import sluice.gateway.server.shared.LoopMailboxes;
import sluice.gateway.server.shared.SharedServer;
import sluice.gateway.server.shared.SharerEnd;
import sluice.gateway.tls.Dialer;

/**
 * Server of a pool on one event loop, in one dialect: its shared connections, and its exclusive
 * ones for large requests.
 *
 * <p>A connection is usable once its probe was answered.
 *
 * <p>Where event loops share connections ({@link SharedServer}), those of a <em>sharer</em> are
 * pipes to its owner's connections. They are made when the owner has one, lost when the owner's is,
 * and otherwise like any other. The loop that owns the socket reports the server's state changes.
 */
public final class Server implements SharedServer.View {
  private final ServerProtocol protocol;
  private final ServerStatus status;
  private final ServerSettings settings;
  private final @Nullable Shared shared; // null: connections are not shared
  private final Reports reports;
  private final ServerConnections connections;

  /**
   * A server whose connections are its loop's own.
   *
   * @param dialer null if its settings have no address
   */
  public Server(
      Loop loop,
      @Nullable Dialer dialer,
      RequestPool requestPool,
      ServerStatus status,
      ServerProtocol protocol,
      ServerSettings settings,
      LoopMetrics loopMetrics) {
    this(loop, dialer, requestPool, status, protocol, settings, loopMetrics, null);
  }

  /**
   * A server whose connections are shared with other event loops.
   *
   * @param mailboxes access to these loops
   * @param shared state of the server common to all loops
   */
  public Server(
      Loop loop,
      Dialer dialer,
      RequestPool requestPool,
      ServerStatus status,
      ServerProtocol protocol,
      ServerSettings settings,
      LoopMetrics loopMetrics,
      LoopMailboxes mailboxes,
      SharedServer shared) {
    this(
        loop,
        dialer,
        requestPool,
        status,
        protocol,
        settings,
        loopMetrics,
        new Shared(mailboxes, shared));
  }

  private Server(
      Loop loop,
      @Nullable Dialer dialer,
      RequestPool requestPool,
      ServerStatus status,
      ServerProtocol protocol,
      ServerSettings settings,
      LoopMetrics loopMetrics,
      @Nullable Shared shared) {
    this.status = status;
    this.protocol = protocol;
    this.settings = settings;
    this.shared = shared;
    ServerMetrics metrics =
        settings.address() == null ? null : loopMetrics.server(status.pool(), status.name());
    reports = new Reports(loop, status, loopMetrics, metrics);
    ServerContext context =
        new ServerContext(
            loop, requestPool, status, reports, settings.timeoutNanos(), settings.login());
    connections = new ServerConnections(context, protocol, settings, dialer, shared);
  }

  /**
   * Its pool is not in use yet: until {@link #use}, what happens to it does not change whether the
   * server counts as up, or its health. It may share both with a server that is in use.
   */
  public void awaitUse() {
    connections.use().await();
  }

  /** Its pool is in use. */
  public void use() {
    connections.use().begin();
  }

  /** Makes it available to other event loops; called once, when it is in its pool. */
  public void begin() {
    if (shared != null) {
      shared.server().seenAs(shared.loop(), this);
    }
  }

  /**
   * A placeholder for the servers of a pool without any: requests fail at once with that reason.
   */
  public static Server none(
      Loop loop, RequestPool requestPool, String pool, LoopMetrics loopMetrics) {
    ServerSettings settings = new ServerSettings(null, null, null, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
    ServerStatus status = new ServerStatus(pool, "none");
    Server none =
        new Server(loop, null, requestPool, status, TextProtocol.INSTANCE, settings, loopMetrics);
    none.connections.slots().unavailable("pool " + pool + " has no servers");
    return none;
  }

  /** Facts that its connections need. */
  public ServerContext context() {
    return connections.context();
  }

  /** Creates a connection over transport, whose handler the caller adds to the channel. */
  public ServerConnection made(int slot, ServerTransport transport) {
    return connections.made(slot, transport);
  }

  /** Whether this is the text side of the server. */
  public boolean isText() {
    return protocol.side() == ServerStatus.Side.TEXT;
  }

  /** Its identity in the pool. */
  public String name() {
    return status.name();
  }

  /** State of the server across event loops. */
  public ServerStatus status() {
    return status;
  }

  /** The version that it last reported, on any event loop. */
  public ServerVersion version() {
    ServerVersion version = status.version();
    return version == null ? ServerVersion.UNKNOWN : version;
  }

  /** The longest wait of a request: for a connection, to be sent, and for its reply. */
  public long longestWaitNanos() {
    return settings.connectTimeoutNanos()
        + settings.queueTimeoutNanos()
        + 2 * settings.timeoutNanos();
  }

  // --- shared connections -------------------------------------------------------------------

  /**
   * The shared connection for a client that accepts requests now; null if there is none. Then
   * either {@link #unavailable} states the reason, or the caller may {@link #await} a change. The
   * caller asks for the reason once: another event loop may see meanwhile that the server is back.
   */
  public @Nullable ServerConnection connection(int client) {
    return connections.connection(client);
  }

  /** The reason for which requests fail at once; null if they do not. */
  public @Nullable String unavailable() {
    return connections.unavailable();
  }

  /** Whether requests should go to another server, if there is one. */
  public boolean isDown() {
    return status.health().isEjected() || connections.slots().areUnavailable();
  }

  /** Recent response time on this loop, in nanoseconds; 0 before the first reply. */
  public long recentNanos() {
    return reports.recentNanos();
  }

  /**
   * Counts a request that failed because the server is {@link #unavailable}.
   *
   * @param reason the one that the request failed with; by now the server may be back
   */
  public void refused(String reason) {
    reports.refused(reason);
  }

  /**
   * Whether clients that wait for the server are about to be told that it has changed. Requests
   * that come meanwhile must wait behind theirs: otherwise, those of busy clients may fill the
   * connection again each time, and the waiting ones never have their turn.
   */
  public boolean servesWaiting() {
    return connections.waiters().areAboutToWake();
  }

  /** Notifies waiter once when something has changed. */
  public void await(ServerWaiter waiter) {
    connections.waiters().add(waiter);
  }

  /** Makes the first connections before the first request, and determines the server's version. */
  public void warmUp() {
    if (settings.address() != null) {
      connections.slots().warmUp();
    }
  }

  @Override
  public void takeIn(SharerEnd sharer) {
    connections.takeIn(sharer);
  }

  @Override
  public void isBack() {
    connections.slots().ownerIsBack();
  }

  // --- exclusive connections ----------------------------------------------------------------

  /** Acquires an exclusive connection for the acquirer as soon as there is one. */
  public void acquire(ExclusivePool.Acquirer acquirer) {
    connections.exclusive().forAny().acquire(acquirer);
  }

  /**
   * Acquires an exclusive connection, as soon as there is one, for a request that has arrived
   * completely. A client that stops sending can never hold one of these.
   */
  public void acquireForWhole(ExclusivePool.Acquirer acquirer) {
    connections.exclusive().forWhole().acquire(acquirer);
  }

  /** Withdraws an acquirer that {@linkplain #acquire waits} for a connection. */
  public void doesNotWait(ExclusivePool.Acquirer acquirer) {
    connections.exclusive().forAny().forget(acquirer);
  }

  /**
   * Whether an acquirer that waits in {@link #acquire} waits for another to release a connection,
   * not for one being made.
   */
  public boolean hasAcquiredAll() {
    return shared == null
        ? connections.exclusive().forAny().hasAcquiredAll()
        : !shared.server().hasFreeExclusive();
  }

  /** The acquirer is done; the connection is kept for the next one if no request is left on it. */
  public void release(ServerConnection connection) {
    connections.release(connection);
  }

  /** The acquirer keeps the connection for good: another may be made in its place. */
  public void detach(ServerConnection connection) {
    connections.detach(connection);
  }

  /** Whether {@link #acquire} has a connection at once, or makes one. */
  public boolean hasFreeExclusive() {
    return connections.exclusive().forAny().isFree()
        && (shared == null || shared.server().hasFreeExclusive());
  }

  /** Whether an acquirer waits for an exclusive connection, on any event loop that shares them. */
  public boolean lacksConnections() {
    return connections.exclusive().forAny().isAwaited()
        || (shared != null && shared.server().isExclusiveAwaited());
  }

  /** Counts a reply that broke the protocol, and logs the first. */
  public void protocolError(String message) {
    reports.protocolError(message);
  }

  // --- time ---------------------------------------------------------------------------------

  /** Called every few milliseconds. */
  public void sweep() {
    connections.sweep();
  }

  /**
   * Removes it from its pool. Waiting requests choose another server, requests in flight are
   * answered, and connections close when they are idle.
   */
  public void retire() {
    connections.retire();
  }

  /**
   * It was removed and has no connections; sweeps end.
   *
   * @param wantedAgain called when a request that was routed earlier needs a connection after all,
   *     for example one that follows from another's reply: then sweeps begin again
   */
  public void left(Runnable wantedAgain) {
    connections.left(wantedAgain);
  }

  /**
   * Whether a request, a client or a connection waits for it, perhaps only for some milliseconds;
   * on its loop.
   */
  public boolean isAwaited() {
    return connections.open().areAwaited()
        || connections.slots().areAwaited()
        || !connections.exclusive().isIdle()
        || !connections.waiters().isEmpty()
        || !connections.retries().isEmpty()
        || status().health().isEjected();
  }

  /** Whether it was removed and has no connections. */
  public boolean isGone() {
    return connections.areGone();
  }

  /** Whether it has requests that were neither answered nor failed; on its loop. */
  public boolean owesReplies() {
    return connections.open().oweReplies();
  }

  /** Requests in flight, as of the last sweep; from any thread. */
  public int inFlight() {
    return connections.open().inFlight();
  }

  /** Open connections of this event loop, as of the last sweep; from any thread. */
  public int connections() {
    return connections.open().sockets();
  }

  /** Closes all connections; no further one is made. */
  public void close() {
    connections.close();
  }
}
