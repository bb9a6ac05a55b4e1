package sluice.gateway.server;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.protocol.ServerContext;

/**
 * Exclusive connections to one server, each used by one client for a large request. The pool limits
 * their number; released connections are kept for the next client.
 */
public final class ExclusivePool {
  /** Request that needs an exclusive connection. */
  public interface Acquirer {
    /** The connection is acquired, until it is released. */
    void acquired(ServerConnection connection);

    /** No connection can be had. */
    void refused(String reason);

    /** Whether the request still waits. */
    boolean isWaiting();
  }

  /** Owner of the connections: the server. */
  interface Owner {
    ServerContext context();

    /** The reason for which requests fail at once; null if they do not. */
    @Nullable String unavailable();

    /** Whether no further connection is made. */
    boolean isClosed();

    /** Makes an exclusive connection. */
    void openExclusive(int slot);

    /** Reports whether an exclusive connection is available. */
    void acquires(int slot, boolean atOnce);
  }

  /** Waiting request. A sharer decides itself when it stops waiting. */
  private record Lease(Acquirer acquirer, long since, boolean ofSharer) {}

  private final Owner server;
  private final Loop loop;
  private final int slot;
  private final int most;
  private final long staleNanos;
  private final ArrayDeque<ServerConnection> idle = new ArrayDeque<>();
  private final ArrayDeque<Lease> leases = new ArrayDeque<>();
  private int out; // connections in use, or being made
  private int making;
  private boolean serving;
  private @Nullable String refusal; // of the login: no exclusive connection is made for a while
  private long againAt;

  /**
   * Exclusive connections of one server.
   *
   * @param slot that marks them
   * @param most connections at once
   * @param staleNanos silence after which a connection is not used any more
   */
  ExclusivePool(Owner server, Loop loop, int slot, int most, long staleNanos) {
    this.server = server;
    this.loop = loop;
    this.slot = slot;
    this.most = most;
    this.staleNanos = staleNanos;
  }

  /** Acquires a connection for the acquirer as soon as there is one. */
  void acquire(Acquirer acquirer) {
    acquire(acquirer, false);
  }

  /** As {@link #acquire}, for another event loop. */
  void acquireForSharer(Acquirer acquirer) {
    acquire(acquirer, true);
  }

  private void acquire(Acquirer acquirer, boolean ofSharer) {
    if (refusal != null && loop.now() - againAt > 0) {
      refusal = null;
    }
    String unavailable = server.unavailable();
    String reason = unavailable != null ? unavailable : refusal;
    if (reason != null) {
      acquirer.refused(reason);
      return;
    }
    leases.add(new Lease(acquirer, loop.now(), ofSharer));
    serve();
    tell();
  }

  /** Withdraws a waiting acquirer. */
  void forget(Acquirer acquirer) {
    leases.removeIf(lease -> lease.acquirer() == acquirer);
    tell();
  }

  /** The server has refused the login of a connection: none is made for that time. */
  void loginRefused(String reason, long nanos) {
    refusal = reason;
    againAt = loop.now() + nanos;
  }

  /** Refuses a request; an acquirer that is gone has nothing left to fail. */
  private static void refuse(Lease lease, String reason) {
    if (lease.acquirer().isWaiting()) {
      lease.acquirer().refused(reason);
    }
  }

  /** Refuses all waiting acquirers. */
  void refuseAll(String reason) {
    boolean any = !leases.isEmpty();
    while (!leases.isEmpty()) {
      refuse(leases.poll(), reason);
    }
    if (any) {
      tell();
    }
  }

  /** Refuses acquirers that have waited for longer than nanos. */
  void sweep(long nanos) {
    Lease late = firstLate(nanos);
    boolean any = late != null;
    while (late != null) {
      leases.remove(late);
      refuse(late, "server " + server.context().name() + " had no connection free in time");
      late = firstLate(nanos);
    }
    if (any) {
      tell();
    }
  }

  private @Nullable Lease firstLate(long nanos) {
    if (!leases.isEmpty()) {
      for (Lease lease : leases) {
        if (!lease.ofSharer()) {
          return loop.now() - lease.since() > nanos ? lease : null;
        }
      }
    }
    return null;
  }

  /** Serves waiting acquirers, and has more connections made if necessary. */
  void serve() {
    if (serving) {
      return; // an acquirer released its connection at once: the next one is served below it
    }
    serving = true;
    try {
      serveFromIdle();
    } finally {
      serving = false;
    }
    ServerConnection left = idle.peek();
    if (leases.isEmpty() && left != null && !left.hasSocket()) {
      releaseToOwner();
    }
    if (!leases.isEmpty() && out < most && !server.isClosed()) {
      out++;
      making++;
      server.openExclusive(slot);
    }
    tell(); // acquirers that wait no longer were removed, too
  }

  private void serveFromIdle() {
    while (!leases.isEmpty()) {
      if (!leases.peek().acquirer().isWaiting()) {
        leases.poll();
      } else {
        ServerConnection connection = idle.poll();
        if (connection == null) {
          break;
        }
        if (connection.keepAlive().isStale(staleNanos)) {
          connection.fail(ServerConnection.IDLE);
        } else if (connection.isUsable()) {
          out++;
          connection.acquired(true);
          leases.poll().acquirer().acquired(connection);
        }
      }
    }
  }

  /** An exclusive connection was made. */
  void made(ServerConnection connection) {
    out--;
    making--;
    release(connection);
  }

  /** An exclusive connection could not be made. */
  void notMade() {
    out--;
    making--;
    tell();
  }

  /** Whether an acquirer gets a connection at once, or as soon as it is made. */
  boolean isFree() {
    return out - making + leases.size() < most;
  }

  /** Whether all exclusive connections are in use. */
  boolean hasAcquiredAll() {
    return out - making >= most;
  }

  private void tell() {
    server.acquires(slot, isFree());
  }

  /** Releases a connection, which is kept for the next acquirer if no request is on it. */
  void release(ServerConnection connection) {
    notAcquired(connection);
    if (connection.hasRequests()) { // its request has timed out
      connection.fail(server.context().didNotAnswer());
    } else if (connection.pendingBytes() > 0) {
      connection.fail(server.context().answeredEarly());
    } else if (connection.isUsable()) {
      idle.push(connection);
      serve();
      tell();
    } else {
      connection.fail("released when it was not usable");
    }
  }

  /** Returns idle connections to the owner, where other loops may need them. */
  private void releaseToOwner() {
    for (ServerConnection each = idle.poll(); each != null; each = idle.poll()) {
      each.fail(ServerConnection.IDLE);
    }
  }

  /** The acquirer keeps the connection for good: another may be made in its place. */
  void detach(ServerConnection connection) {
    notAcquired(connection);
    connection.detach();
    serve();
  }

  /** A connection has closed, which may have been in use. */
  void closed(ServerConnection connection) {
    idle.remove(connection);
    notAcquired(connection);
  }

  private void notAcquired(ServerConnection connection) {
    if (connection.isAcquired()) {
      connection.acquired(false);
      out--;
      tell();
    }
  }

  /** Whether an acquirer waits. */
  boolean isAwaited() {
    return !leases.isEmpty();
  }

  /** Whether no connection is in use or being made, and no acquirer waits. */
  boolean isIdle() {
    return leases.isEmpty() && out == 0;
  }
}
