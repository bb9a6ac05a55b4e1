package sluice.gateway.server;

import java.util.ArrayDeque;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.protocol.ServerContext;

/**
 * Connections of one server that are lent to one client each, for a large request: as many at once
 * as the pool allows, kept for the next when they come back.
 */
public final class Lending {
  /** A request that needs a connection alone. */
  public interface Borrower {
    /** The connection is the borrower's until given back. */
    void lent(ServerConnection connection);

    /** There is none to be had. */
    void refused(String reason);

    /** Whether it is still wanted. */
    boolean isWaiting();
  }

  /** The server. */
  interface Owner {
    ServerContext context();

    /** Why requests fail at once; null if they need not. */
    String unavailable();

    /** Whether no other connection is made. */
    boolean isClosed();

    /** Makes a connection to be lent. */
    void openToLend(int slot);

    /** Whether a connection is left to lend. */
    void lends(int slot, boolean atOnce);
  }

  /** Since when somebody waits; a guest says itself when it waits no longer. */
  private record Loan(Borrower borrower, long since, boolean ofGuest) {}

  private final Owner server;
  private final Loop loop;
  private final int slot;
  private final int most;
  private final long staleNanos;
  private final ArrayDeque<ServerConnection> idle = new ArrayDeque<>();
  private final ArrayDeque<Loan> loans = new ArrayDeque<>();
  private int out; // lent, or being made
  private int making;
  private String refusal; // of the login of a connection to be lent: none is made for a while
  private long againAt;

  /**
   * Lending of one server.
   *
   * @param slot what its connections have in place of a slot
   * @param most connections that are lent at once
   * @param staleNanos after how much silence a connection is not lent any more
   */
  Lending(Owner server, Loop loop, int slot, int most, long staleNanos) {
    this.server = server;
    this.loop = loop;
    this.slot = slot;
    this.most = most;
    this.staleNanos = staleNanos;
  }

  /** Lends a connection as soon as there is one. */
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

  /** A borrower that waits does without. */
  void forget(Borrower borrower) {
    loans.removeIf(loan -> loan.borrower() == borrower);
    tell();
  }

  /** The server has refused the login of a connection: none is made for so long. */
  void loginRefused(String reason, long nanos) {
    refusal = reason;
    againAt = loop.now() + nanos;
  }

  /** A borrower that is gone is not told: it has nothing left to fail. */
  private static void refuse(Loan loan, String reason) {
    if (loan.borrower().isWaiting()) {
      loan.borrower().refused(reason);
    }
  }

  /** Nobody gets a connection who waits for one. */
  void refuseAll(String reason) {
    while (!loans.isEmpty()) {
      refuse(loans.poll(), reason);
    }
  }

  /** Refuses those who have waited for longer than nanos. */
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

  /** Gives those who wait what there is, and has more made. */
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

  /** A connection that was made to be lent is there. */
  void made(ServerConnection connection) {
    out--;
    making--;
    giveBack(connection);
  }

  /** A connection that was to be made could not be. */
  void notMade() {
    out--;
    making--;
    tell();
  }

  /** Whether one who asks now is lent a connection at once, or as soon as it is made. */
  boolean isFree() {
    return out - making + loans.size() < most;
  }

  /** Whether borrowers have all connections. */
  boolean hasLentAll() {
    return out - making >= most;
  }

  private void tell() {
    server.lends(slot, isFree());
  }

  /** The borrower is done; the connection is kept for the next one if nothing is left on it. */
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

  /** Others may need what nobody here does. */
  private void giveBackToHost() {
    for (ServerConnection each = idle.poll(); each != null; each = idle.poll()) {
      each.fail(ServerConnection.IDLE);
    }
  }

  /** The borrower keeps the connection for good: another may be lent in its place. */
  void detach(ServerConnection connection) {
    notLent(connection);
    connection.detach();
    serve();
  }

  /** A connection is closed, which may have been lent. */
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

  /** Whether somebody waits. */
  boolean isAwaited() {
    return !loans.isEmpty();
  }

  /** Whether nothing is lent, and nobody waits, nor a connection is made for one who did. */
  boolean isIdle() {
    return loans.isEmpty() && out == 0;
  }
}
