package sluice.gateway.server;

import org.jspecify.annotations.Nullable;
import sluice.gateway.server.connection.Slot;
import sluice.gateway.server.protocol.ServerContext;

/**
 * Exclusive connections to one server, each used by one client at a time. Half of them are for
 * requests that are still being received. The other half are for requests that were received
 * completely, commands among them, so that no client that stops sending can keep those.
 */
final class ExclusiveConnections implements ExclusivePool.Owner {
  /** Server of the connections. */
  interface Owner {
    ServerContext context();

    /** The reason for which requests fail at once; null if they do not. */
    @Nullable String unavailable();

    /** Whether no further connection is made. */
    boolean isClosed();
  }

  private final Owner server;
  private final Dials dials;
  private final @Nullable Shared shared; // null: connections are not shared
  private final ExclusivePool forAny;
  private final ExclusivePool forWhole;

  /** The exclusive connections to a server, which are made by dials. */
  ExclusiveConnections(
      Owner server, Dials dials, @Nullable Shared shared, ServerSettings settings) {
    this.server = server;
    this.dials = dials;
    this.shared = shared;
    forAny = exclusivePool(Slot.EXCLUSIVE, settings);
    forWhole = exclusivePool(Slot.EXCLUSIVE_FOR_WHOLE, settings);
  }

  private ExclusivePool exclusivePool(int slot, ServerSettings settings) {
    return new ExclusivePool(
        this, server.context().loop(), slot, settings.streams(), settings.probeAfterNanos());
  }

  /** Connections for requests that are still being received. */
  ExclusivePool forAny() {
    return forAny;
  }

  /** Connections for requests that were received completely. */
  ExclusivePool forWhole() {
    return forWhole;
  }

  /** Connections that have slot in place of a shared connection's ({@link Slot}). */
  ExclusivePool of(int slot) {
    return slot == Slot.EXCLUSIVE ? forAny : forWhole;
  }

  /** Refuses all waiting acquirers. */
  void refuseAll(String reason) {
    forAny.refuseAll(reason);
    forWhole.refuseAll(reason);
  }

  /** Serves waiting acquirers, and has more connections made if necessary. */
  void serve() {
    forAny.serve();
    forWhole.serve();
  }

  /** Refuses acquirers that have waited for longer than nanos. */
  void sweep(long nanos) {
    forAny.sweep(nanos);
    forWhole.sweep(nanos);
  }

  /** Whether no connection is in use or being made, and no acquirer waits. */
  boolean isIdle() {
    return forAny.isIdle() && forWhole.isIdle();
  }

  @Override
  public ServerContext context() {
    return server.context();
  }

  @Override
  public @Nullable String unavailable() {
    return server.unavailable();
  }

  @Override
  public boolean isClosed() {
    return server.isClosed();
  }

  @Override
  public void openExclusive(int slot) {
    dials.open(slot);
  }

  /** Other event loops know whether a connection is left to acquire, and whether one is awaited. */
  @Override
  public void acquires(int slot, boolean atOnce) {
    if (shared != null && slot == Slot.EXCLUSIVE && dials.isOwn(Slot.EXCLUSIVE)) {
      shared.server().hasFreeExclusive(atOnce);
      shared.server().isExclusiveAwaited(forAny.isAwaited());
    }
  }
}
