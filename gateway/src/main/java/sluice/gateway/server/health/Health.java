package sluice.gateway.server.health;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import sluice.config.model.DurationText;
import sluice.config.model.HealthConfig;
import sluice.gateway.time.Chance;
import sluice.gateway.time.Clocks;

/**
 * Health of one server of a pool, over all event loops and both dialects: consecutive failures, and
 * ejection. The server keeps it when the configuration changes. Thread-safe; the methods called for
 * each reply read two fields.
 */
public final class Health {
  /** Pool of a server, which decides whether it is ejected. */
  interface Rotation {
    HealthConfig config();

    /** Response time from which on a reply counts as a failure, in nanoseconds. */
    long slowNanos();

    /** Ejects the server with this health, if the limit of ejected servers permits. */
    void eject(Health health, String why, long now);

    /** Restores the server with this health, if it is ejected. */
    void restore(Health health, long now);

    /** A pool has ejected or restored a server: keys move, unless it is this one. */
    void changedBy(Object pool);
  }

  private static final double JITTER = 0.2;
  private static final int MOST_DOUBLINGS = 32;

  private final AtomicInteger failures = new AtomicInteger();
  private volatile @Nullable Rotation pool; // null: never ejected
  private volatile long slowNanos = Long.MAX_VALUE;
  private volatile boolean ejected;
  private volatile boolean held; // ejected by hand: only a person restores it
  private volatile String ejectedFor = "";
  private volatile int returns;
  private volatile long backAt; // since the first of those failures

  // Guarded by the lock of this.
  private String why = "";
  private Instant since = Instant.EPOCH;
  private final ProbeTurns turns = new ProbeTurns();
  private int inARow;
  private long ejections;

  /** Sets the pool that decides whether the server is ejected; null for none. */
  void belongsTo(@Nullable Rotation pool) {
    this.pool = pool;
    slowNanos = pool == null ? Long.MAX_VALUE : pool.slowNanos();
    if (pool == null && ejected) {
      synchronized (this) {
        comeBack(Clocks.nanos());
      }
    }
  }

  /** From now on it is never ejected. */
  public void isLeftAlone() {
    belongsTo(null);
  }

  /** Whether requests go to other servers. */
  public boolean isEjected() {
    return ejected;
  }

  /**
   * Number of times it was restored. A caller that knows an older number may try the server at
   * once.
   */
  public int returns() {
    return returns;
  }

  /** A reply came in time, that long after its request was sent. */
  public void answered(long nanos, long now) {
    if (nanos > slowNanos) {
      failed("replies took over " + DurationText.of(slowNanos / 1_000_000), now - nanos, now);
    } else if (failures.get() != 0) {
      failures.set(0);
    }
  }

  /** Counts a failure: a lost connection, or a reply that broke the protocol. */
  public void failed(String reason, long now) {
    failed(reason, now, now);
  }

  /**
   * Counts the failure of a request that was sent at a time. Requests sent before the server was
   * restored are ignored: otherwise it would be ejected again for the same failures.
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

  /** Called by its pool, if the limit permits. */
  synchronized void eject(String reason, long now, HealthConfig config) {
    long least = config.ejectFor().leastMillis() * 1_000_000L;
    long most = config.ejectFor().mostMillis() * 1_000_000L;
    boolean again = returns > 0 && now - backAt < most;
    inARow = again ? Math.min(inARow + 1, MOST_DOUBLINGS) : 1;
    long out = Math.min(most, least << Math.min(inARow - 1, 20));
    turns.notBefore(now + jittered(out));
    why = reason;
    ejectedFor = reason;
    since = Clocks.now();
    ejections++;
    ejected = true;
  }

  /** Called by its pool: it stays ejected until an operator restores it. */
  synchronized void hold(String reason, Instant now) {
    why = reason;
    ejectedFor = reason;
    since = now;
    ejections++;
    held = true;
    ejected = true;
  }

  /** Whether it was ejected by hand. */
  boolean isHeld() {
    return held;
  }

  private static long jittered(long nanos) {
    return (long) (nanos * (1 - JITTER * Chance.nextDouble()));
  }

  /**
   * Whether the caller must probe the server now. The sides take turns where there are several: a
   * server may answer on one of them only.
   *
   * @param side that the caller would use
   */
  public boolean claimsProbe(long now, Enum<?> side) {
    Rotation decides = pool;
    if (!ejected || decides == null) {
      return false;
    }
    synchronized (this) {
      long interval = jittered(decides.config().probeMillis() * 1_000_000L);
      return ejected && !held && turns.claims(now, side, interval);
    }
  }

  /** The probe was answered. */
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
    since = Clocks.now();
    returns++;
    held = false;
    ejected = false;
  }

  /** The pool has ejected or restored it. By now, that of a later configuration may decide. */
  void changedBy(Object by) {
    Rotation decides = pool;
    if (decides != null) {
      decides.changedBy(by);
    }
  }

  /** The reason for the last ejection; without a lock. */
  public String ejectedFor() {
    return ejectedFor;
  }

  /** The reason for the ejection, for people. */
  public synchronized String why() {
    return why;
  }

  /** When it was ejected or restored. */
  public synchronized Instant since() {
    return since;
  }

  /** Number of ejections. */
  public synchronized long ejections() {
    return ejections;
  }
}
