package sluice.gateway.server;

import java.util.ArrayDeque;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.protocol.ServerContext;

/**
 * Exclusive connections to one server, each used by one client for a large request. The pool limits
 * their number; released connections are kept for the next client.
 */
public final class Lending {
  /** Request that needs an exclusive connection. */
  public interface Borrower {
    /** The borrower has acquired the connection, until it is released. */
    void lent(ServerConnection connection);

    /** No connection can be had. */
    void refused(String reason);

    /** Whether the request still waits. */
    boolean isWaiting();
  }

  /** Owner of the connections: the server. */
  interface Owner {
    ServerContext context();

    /** The reason for which requests fail at once; null if they do not. */
    String unavailable();

    /** Whether no further connection is made. */
    boolean isClosed();

    /** Makes an exclusive connection. */
    void openToLend(int slot);

    /** Reports whether an exclusive connection is available. */
    void lends(int slot, boolean atOnce);
  }

  /** Waiting request. A guest decides itself when it stops waiting. */
  private record Loan(Borrower borrower, long since, boolean ofGuest) {}

  private final Owner server;
  private final Loop loop;
  private final int slot;
  private final int most;
  private final long staleNanos;
  private final ArrayDeque<ServerConnection> idle = new ArrayDeque<>();
  private final ArrayDeque<Loan> loans = new ArrayDeque<>();
  private int out; // connections in use, or being made
  private int making;
  private String refusal; // refusal of the login: no exclusive connection is made for a while
  private long againAt;

  /**
   * Exclusive connections of one server.
   *
   * @param slot that marks them
   * @param most connections at once
   * @param staleNanos silence after which a connection is not used any more
   */
  Lending(Owner server, Loop loop, int slot, int most, long staleNanos) {
    this.server = server;
    this.loop = loop;
    this.slot = slot;
    this.most = most;
    this.staleNanos = staleNanos;
  }

  /** Acquires a connection for the borrower as soon as there is one. */
  void lend(Borrower borrower) {
    lend(borrower, false);
  }

  /** As {@link #lend}, for another event loop. */
  void lendToGuest(Borrower borrower) {
    lend(borrower, true);
  }

  private void lend(Borrower borrower, boolean ofGuest) {
    if (refusal != null && loop.now() - againAt > 0) {
      refusal = null;
    }
    String reason = server.unavailable() != null ? server.unavailable() : refusal;
    if (reason != null) {
      borrower.refused(reason);
      return;
    }
    loans.add(new Loan(borrower, loop.now(), ofGuest));
    serve();
    tell();
  }

  /** Withdraws a waiting borrower. */
  void forget(Borrower borrower) {
    loans.removeIf(loan -> loan.borrower() == borrower);
    tell();
  }

  /** The server has refused the login of a connection: none is made for that time. */
  void loginRefused(String reason, long nanos) {
    refusal = reason;
    againAt = loop.now() + nanos;
  }

  /** Refuses a request; a borrower that is gone has nothing left to fail. */
  private static void refuse(Loan loan, String reason) {
    if (loan.borrower().isWaiting()) {
      loan.borrower().refused(reason);
    }
  }

  /** Refuses all waiting borrowers. */
  void refuseAll(String reason) {
    while (!loans.isEmpty()) {
      refuse(loans.poll(), reason);
    }
  }

  /** Refuses borrowers that have waited for longer than nanos. */
  void sweep(long nanos) {
    Loan late = firstLate(nanos);
    while (late != null) {
      loans.remove(late);
      refuse(late, "server " + server.context().name() + " had no connection free in time");
      late = firstLate(nanos);
    }
  }

  private Loan firstLate(long nanos) {
    if (!loans.isEmpty()) {
      for (Loan loan : loans) {
        if (!loan.ofGuest()) {
          return loop.now() - loan.since() > nanos ? loan : null;
        }
      }
    }
    return null;
  }

  /** Serves waiting borrowers, and has more connections made if necessary. */
  void serve() {
    while (!loans.isEmpty()) {
      if (!loans.peek().borrower().isWaiting()) {
        loans.poll();
      } else {
        ServerConnection connection = idle.poll();
        if (connection == null) {
          break;
        }
        if (connection.keepAlive().isStale(staleNanos)) {
          connection.fail(ServerConnection.IDLE);
        } else if (connection.isUsable()) {
          out++;
          connection.lent(true);
          loans.poll().borrower().lent(connection);
        }
      }
    }
    if (!loans.isEmpty() && out < most && !server.isClosed()) {
      out++;
      making++;
      server.openToLend(slot);
    }
  }

  /** An exclusive connection was made. */
  void made(ServerConnection connection) {
    out--;
    making--;
    giveBack(connection);
  }

  /** An exclusive connection could not be made. */
  void notMade() {
    out--;
    making--;
    tell();
  }

  /** Whether a borrower gets a connection at once, or as soon as it is made. */
  boolean isFree() {
    return out - making + loans.size() < most;
  }

  /** Whether all exclusive connections are in use. */
  boolean hasLentAll() {
    return out - making >= most;
  }

  private void tell() {
    server.lends(slot, isFree());
  }

  /** Releases a connection, which is kept for the next borrower if no request is on it. */
  void giveBack(ServerConnection connection) {
    notLent(connection);
    if (connection.isUsable() && connection.inFlight() == 0) {
      idle.push(connection);
      serve();
      tell();
      if (!connection.hasSocket()) {
        giveBackToHost();
      }
    } else {
      connection.fail("given back with requests in flight");
    }
  }

  /** Returns idle connections to the host, where other loops may need them. */
  private void giveBackToHost() {
    for (ServerConnection each = idle.poll(); each != null; each = idle.poll()) {
      each.fail(ServerConnection.IDLE);
    }
  }

  /** The borrower keeps the connection for good: another may be made in its place. */
  void detach(ServerConnection connection) {
    notLent(connection);
    connection.detach();
    serve();
  }

  /** A connection has closed, which may have been in use. */
  void closed(ServerConnection connection) {
    idle.remove(connection);
    notLent(connection);
  }

  private void notLent(ServerConnection connection) {
    if (connection.isLent()) {
      connection.lent(false);
      out--;
      tell();
    }
  }

  /** Whether a borrower waits. */
  boolean isAwaited() {
    return !loans.isEmpty();
  }

  /** Whether no connection is in use or being made, and no borrower waits. */
  boolean isIdle() {
    return loans.isEmpty() && out == 0;
  }
}
