package sluice.gateway.server.health;

import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.config.model.HealthConfig;

/**
 * How one server of a pool fares, over all event loops and both dialects: failures in a row, and
 * whether it is ejected. It goes over to the next configuration with the server. Thread-safe; what
 * is called for each reply reads two fields.
 */
public final class Health {
  /** The pool of a server, which decides whether it is ejected. */
  interface Rotation {
    HealthConfig config();

    /** From how long on a reply counts as a failure, in nanoseconds. */
    long slowNanos();

    /** Ejects the server with this health, if there is room for one more. */
    void eject(Health health, String why, long now);

    /** Restores the server with this health, if it is ejected. */
    void restore(Health health, long now);
  }

  private static final double JITTER = 0.2;
  private static final int MOST_DOUBLINGS = 32;

  private final AtomicInteger failures = new AtomicInteger();
  private volatile Rotation pool; // null: never ejected
  private volatile long slowNanos = Long.MAX_VALUE;
  private volatile boolean ejected;
  private volatile String ejectedFor = "";
  private volatile int returns;
  private volatile long backAt; // with the first of those

  // Under the lock of this.
  private String why = "";
  private Instant since = Instant.EPOCH;
  private long askFrom;
  private int inARow;
  private long ejections;

  /** From now on this pool decides whether the server is ejected; null: it is not. */
  void belongsTo(Rotation pool) {
    this.pool = pool;
    slowNanos = pool == null ? Long.MAX_VALUE : pool.slowNanos();
    if (pool == null && ejected) {
      synchronized (this) {
        comeBack(System.nanoTime());
      }
    }
  }

  /** From now on it is never ejected. */
  public void isLeftAlone() {
    belongsTo(null);
  }

  /** Whether requests go elsewhere. */
  public boolean isEjected() {
    return ejected;
  }

  /** How often it came back: whoever has seen another number may try it at once. */
  public int returns() {
    return returns;
  }

  /** A reply came in time, so many nanoseconds after its request was sent. */
  public void answered(long nanos, long now) {
    if (nanos > slowNanos) {
      failed("replies took over " + slowNanos / 1_000_000 + " ms", now - nanos, now);
    } else if (failures.get() != 0) {
      failures.set(0);
    }
  }

  /** Something went wrong: a lost connection, a reply that broke the protocol. */
  public void failed(String reason, long now) {
    failed(reason, now, now);
  }

  /**
   * A request that was sent at a time went wrong. What was sent before the server came back tells
   * nothing new of it: it would be ejected again for what it was ejected for.
   */
  public void failed(String reason, long sentAt, long now) {
    Rotation decides = pool;
    if (decides == null || ejected || (returns > 0 && sentAt - backAt < 0)) {
      return;
    }
    int count = failures.incrementAndGet();
    if (count >= decides.config().failures()) {
      decides.eject(this, count + " failures in a row, the last: " + reason, now);
    }
  }

  /** Called by its pool, which has room for it. */
  synchronized void eject(String reason, long now, HealthConfig config) {
    long least = config.ejectFor().leastMillis() * 1_000_000L;
    long most = config.ejectFor().mostMillis() * 1_000_000L;
    boolean again = returns > 0 && now - backAt < most;
    inARow = again ? Math.min(inARow + 1, MOST_DOUBLINGS) : 1;
    long out = Math.min(most, least << Math.min(inARow - 1, 20));
    askFrom = now + jittered(out);
    why = reason;
    ejectedFor = reason;
    since = Instant.now();
    ejections++;
    ejected = true;
  }

  private static long jittered(long nanos) {
    return (long) (nanos * (1 - JITTER * ThreadLocalRandom.current().nextDouble()));
  }

  /** Whether the caller is the one to ask the server now whether it is back. */
  public boolean claimsProbe(long now) {
    Rotation decides = pool;
    if (!ejected || decides == null) {
      return false;
    }
    synchronized (this) {
      if (!ejected || now - askFrom < 0) {
        return false;
      }
      askFrom = now + jittered(decides.config().probeMillis() * 1_000_000L);
      return true;
    }
  }

  /** It has answered the question whether it is back. */
  public void answeredProbe(long now) {
    Rotation decides = pool;
    if (decides != null) {
      decides.restore(this, now);
    }
  }

  /** Called by its pool. */
  synchronized void comeBack(long now) {
    failures.set(0);
    backAt = now;
    since = Instant.now();
    returns++;
    ejected = false;
  }

  /** Why it was ejected last; without a lock. */
  public String ejectedFor() {
    return ejectedFor;
  }

  /** Why it was ejected, for people. */
  public synchronized String why() {
    return why;
  }

  /** When it was ejected, or came back. */
  public synchronized Instant since() {
    return since;
  }

  /** How often it was ejected. */
  public synchronized long ejections() {
    return ejections;
  }
}
