package sluice.gateway.server;

import org.jspecify.annotations.Nullable;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.connection.ConnectionOwner;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.ServerTransport;
import sluice.gateway.server.connection.Slot;
import sluice.gateway.server.health.Health;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.Excerpt;
import sluice.gateway.server.protocol.Reports;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.server.protocol.ServerProtocol;
import sluice.gateway.server.shared.SharerEnd;
import sluice.gateway.tls.Dialer;

/**
 * Connections of one event loop to one server: makes them, and handles those that were made, lost
 * or refused. {@link Server} is their public face.
 *
 * <p>The loop that owns the socket reports the server's state changes.
 */
final class ServerConnections
    implements ConnectionOwner<ServerConnection>,
        SharerEnd.Owner,
        Dials.Owner,
        Slots.Owner,
        ExclusiveConnections.Owner,
        SharedConnections.Owner {

  private static final String STOPPING = "the gateway is stopping";

  private final Loop loop;
  private final ServerStatus status;
  private final ServerProtocol protocol;
  private final ServerSettings settings;
  private final Health health;
  private final Ejection ejection;
  private final @Nullable Shared shared; // null, like the next field: connections are not shared
  private final @Nullable SharedConnections sharedConnections;

  private final ServerContext context;
  private final Reports reports;
  private final Dials dials;
  private final Slots slots;
  private final ExclusiveConnections exclusive;
  private final Waiters waiters;
  private final Retries repeated;
  private final OpenConnections open;
  private final Retirement retirement;
  private final Use use;
  private boolean closed;
  private boolean sawEjection;

  /**
   * An object without connections yet.
   *
   * @param dialer null if settings have no address
   * @param shared null where event loops share no connections
   */
  ServerConnections(
      ServerContext context,
      ServerProtocol protocol,
      ServerSettings settings,
      @Nullable Dialer dialer,
      @Nullable Shared shared) {
    this.context = context;
    this.protocol = protocol;
    this.settings = settings;
    this.shared = shared;
    loop = context.loop();
    status = context.status();
    health = status.health();
    ejection = new Ejection(status);
    reports = context.reports();
    waiters = new Waiters(loop);
    dials = new Dials(this, dialer, settings, shared);
    int count =
        shared == null
            ? settings.perEventLoop()
            : Math.max(1, shared.server().connectionsOf(shared.loop()));
    slots = new Slots(count, this, dials, health, settings);
    exclusive = new ExclusiveConnections(this, dials, shared, settings);
    repeated = new Retries(context, settings.retries(), settings.retryShare(), protocol.side());
    open = new OpenConnections(status.name(), settings);
    retirement = new Retirement(shared);
    use = new Use(context, protocol, slots);
    sharedConnections =
        shared == null ? null : new SharedConnections(this, slots, exclusive, shared);
  }

  @Override
  public ServerContext context() {
    return context;
  }

  /** The shared connections. */
  Slots slots() {
    return slots;
  }

  /** The connections that are used by one client at a time. */
  ExclusiveConnections exclusive() {
    return exclusive;
  }

  /** The connections that are open, or being probed. */
  OpenConnections open() {
    return open;
  }

  /** The clients that wait for a change of the server's state. */
  Waiters waiters() {
    return waiters;
  }

  /**
   * The shared connection for a client, if it accepts requests now. Null if there is none: then
   * {@link #unavailable} gives the reason, or {@link #waiters} are told when to try again.
   */
  @Nullable ServerConnection connection(int client) {
    return health.isEjected() ? null : slots.connection(client);
  }

  @Override
  public @Nullable String unavailable() {
    String reason = slots.unavailable();
    return reason == null && health.isEjected() ? ejection.reason() : reason;
  }

  @Override
  public Retries retries() {
    return repeated;
  }

  @Override
  public void wake() {
    waiters.wake();
  }

  @Override
  public ServerConnection made(int slot, ServerTransport transport) {
    ServerConnection connection = new ServerConnection(this, slot, protocol, transport);
    open.add(connection);
    return connection;
  }

  @Override
  @SuppressWarnings("NullAway") // a login was refused, so there is one
  public void loginRefused(ServerConnection connection, String answer) {
    String reason = "server " + status.name() + " refuses the login";
    if (connection.isExclusive()) {
      exclusive.of(connection.slot()).loginRefused(reason, settings.probeAfterNanos());
    }
    connection.fail(reason, reason + " of " + settings.login().user() + ": " + Excerpt.of(answer));
  }

  @Override
  public boolean isShared() {
    return shared != null;
  }

  /** As an owner: another loop asks for a connection. */
  @SuppressWarnings("NullAway") // no loop asks for connections that are not shared
  void takeIn(SharerEnd sharer) {
    sharedConnections.takeIn(sharer);
  }

  @Override
  public void reached(SharerEnd end) {
    ServerConnection connection = made(end.slot(), end);
    end.begin(connection);
    if (closed) {
      connection.fail("closing");
    }
  }

  @Override
  public void notReached(int slot, String reason) {
    failed(slot, reason, reason);
  }

  private void turnSharersAway(String reason) {
    if (sharedConnections != null) {
      sharedConnections.turnAllAway(reason);
    }
  }

  @Override
  public void failed(int slot, String reason, String detail) {
    loop.tick();
    if (slot >= 0) {
      ServerConnection other = slots.failed(slot, reason);
      if (other != null) {
        serveWaiting(other);
        return;
      }
      if (isServing() && dials.isOwn(slot)) {
        status.down(protocol.side(), detail);
        reports.refused(reason);
      }
      turnSharersAway(reason);
    } else if (Slot.isExclusive(slot)) {
      exclusive.of(slot).notMade();
    }
    if (slot != Slot.TO_ASK) {
      if (slot >= 0) {
        repeated.fail(reason, 0);
      }
      exclusive.refuseAll(reason);
      wake();
    }
  }

  @Override
  public void probed(ServerConnection connection) {
    int slot = connection.slot();
    if (slot >= 0) {
      slots.made(connection);
      available(connection);
    } else if (Slot.isExclusive(slot)) {
      exclusive.of(slot).made(connection);
    } else {
      reports.answeredProbe();
      connection.fail(ServerConnection.IDLE);
    }
  }

  @Override
  public void available(ServerConnection connection) {
    if (connection.hasSocket() && isServing()) {
      status.up(protocol.side());
    }
    serveWaiting(connection);
  }

  private void serveWaiting(ServerConnection connection) {
    if (connection.hasSocket() && sharedConnections != null) {
      sharedConnections.takeInAll(connection);
    }
    repeated.send(connection);
    wake();
  }

  @Override
  public void answeredCheck(ServerConnection connection) {
    if (slots.answered(connection)) {
      available(connection);
    }
    askAgain();
    wake();
  }

  @Override
  public boolean isCurrent(ServerConnection connection) {
    return connection.slot() < 0 || slots.has(connection);
  }

  @Override
  public void replace(ServerConnection connection) {
    if (connection.slot() >= 0) {
      slots.replace(connection);
    }
  }

  @Override
  public void closed(
      ServerConnection connection, boolean usable, String reason, String detail, int lost) {
    open.remove(connection);
    if (connection.isExclusive()) {
      exclusive.of(connection.slot()).closed(connection);
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
    exclusive.serve();
  }

  /** Retries the requests of a lost connection on another one, which is made if necessary. */
  private void askAgain() {
    if (repeated.isEmpty()) {
      return;
    }
    if (closed) {
      repeated.fail(STOPPING, 0);
      return;
    }
    ServerConnection connection = connection(0);
    if (connection != null) {
      repeated.send(connection);
      return;
    }
    String reason = unavailable(); // once: another loop may see that the server is back
    if (reason != null) {
      repeated.fail(reason, 0);
    }
  }

  @Override
  public void release(ServerConnection connection) {
    exclusive.of(connection.slot()).release(connection);
  }

  @Override
  public void detach(ServerConnection connection) {
    exclusive.of(connection.slot()).detach(connection);
  }

  /** Called every few milliseconds. */
  void sweep() {
    long now = loop.now();
    open.sweep(retirement.hasBegun());
    if (health.isEjected()) {
      sawEjection = true;
      wake(); // they fail at once
      exclusive.refuseAll(ejection.reason());
    } else if (sawEjection) {
      sawEjection = false;
      wake(); // another loop may have restored the server while a request began to wait
      askAgain();
    }
    if (!waiters.isEmpty()) {
      waiters.sweep(
          now, settings.queueTimeoutNanos(), "server " + status.name() + " was not ready in time");
    }
    exclusive.sweep(settings.queueTimeoutNanos());
    if (!repeated.isEmpty()) {
      repeated.fail("server " + status.name() + " timed out", settings.timeoutNanos());
    }
    if (isServing() && dials.isOwn(0) && health.claimsProbe(now, protocol.side())) {
      dials.open(Slot.TO_ASK);
    }
    if (!closed && !health.isEjected()) {
      slots.sweep(now, !waiters.isEmpty() || !repeated.isEmpty());
    }
    askAgain(); // the connection for them may have been full until now, or there was no memory
  }

  /** Whether the configuration that has this server is in use. */
  Use use() {
    return use;
  }

  /** See {@link Server#retire}. */
  void retire() {
    reports.affectHealth(false);
    retirement.begin();
    wake();
  }

  /** See {@link Server#left}. */
  void left(Runnable again) {
    retirement.left(again);
  }

  @Override
  public void isWanted() {
    retirement.interrupt();
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public boolean isServing() {
    return !closed && !use.isAwaited() && !retirement.hasBegun();
  }

  /** Whether the server is retired and has no connections any more. */
  boolean areGone() {
    return retirement.hasBegun()
        && open.isEmpty()
        && exclusive.isIdle()
        && waiters.isEmpty()
        && !dials.areUnderWay()
        && !slots.areConnecting()
        && retirement.isLeftToThisLoop();
  }

  /** Closes all connections; no others are made. */
  void close() {
    closed = true;
    repeated.close();
    open.fail(STOPPING);
    turnSharersAway(STOPPING);
  }
}
