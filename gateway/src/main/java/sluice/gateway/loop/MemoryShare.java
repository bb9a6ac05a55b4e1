package sluice.gateway.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import sluice.gateway.time.Clocks;

/**
 * Account of the bytes that one event loop has buffered, and of the heap that its request objects
 * take, beside those of all other loops. Only its own loop writes; every loop reads the sum.
 */
public final class MemoryShare {
  private static final VarHandle BYTES;
  private static final VarHandle RESERVED;
  private static final VarHandle OBJECTS;

  /** Request objects may take this fraction of the heap; beyond it, memory counts as tight. */
  private static final int PART_OF_HEAP = 4;

  /** A request for a reservation that has waited for longer is not overtaken by other loops'. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  static {
    try {
      BYTES = MethodHandles.lookup().findVarHandle(MemoryShare.class, "bytes", long.class);
      OBJECTS = MethodHandles.lookup().findVarHandle(MemoryShare.class, "objects", long.class);
      RESERVED = MethodHandles.lookup().findVarHandle(MemoryShare.class, "reserved", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MemoryShare[] all;
  private final long ceiling;
  private final long objectCeiling;
  private long bytes;
  private long objects;
  private long reserved;
  private volatile boolean awaited; // rarely written
  private volatile long awaitedSince;

  private MemoryShare(MemoryShare[] all, long ceiling, long objectCeiling) {
    this.all = all;
    this.ceiling = ceiling;
    this.objectCeiling = objectCeiling;
  }

  /** The shares of {@code loops} event loops under one ceiling in bytes. */
  public static MemoryShare[] of(int loops, long ceiling) {
    return of(loops, ceiling, Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
  }

  /**
   * The shares of {@code loops} event loops.
   *
   * @param ceiling of buffered bytes
   * @param objectCeiling of bytes of heap that request objects take
   */
  static MemoryShare[] of(int loops, long ceiling, long objectCeiling) {
    MemoryShare[] all = new MemoryShare[loops];
    for (int i = 0; i < loops; i++) {
      all[i] = new MemoryShare(all, ceiling, objectCeiling);
    }
    return all;
  }

  /** Adds to this loop's count; delta may be negative. Only on its own loop. */
  public void add(long delta) {
    BYTES.setOpaque(this, bytes + delta);
  }

  /**
   * Adds to the heap that this loop's request objects take, used or pooled; negative: fewer. Only
   * on its own loop.
   */
  public void addObjects(long delta) {
    OBJECTS.setOpaque(this, objects + delta);
  }

  /** The bytes of heap that the request objects of all loops take together. */
  public long objects() {
    long sum = 0;
    for (MemoryShare share : all) {
      sum += (long) OBJECTS.getOpaque(share);
    }
    return sum;
  }

  /** The bytes that all loops have buffered together. */
  public long total() {
    long sum = 0;
    for (MemoryShare share : all) {
      sum += (long) BYTES.getOpaque(share);
    }
    return sum;
  }

  /**
   * Reserves bytes for something that is useful only as a whole. It succeeds if all loops together
   * have them left, or if nothing else is reserved. So every holder of a reservation can make
   * progress, and there always is one. The bytes count from now on; a caller that accounts for them
   * itself, all at once, calls {@link #counted}. Only on its own loop.
   *
   * @return whether they are reserved
   */
  public boolean reserve(long more) {
    synchronized (all) { // two loops must not both get the last bytes
      if (overtakes() || (total() + more > tight() && sumReserved() > 0)) {
        return false;
      }
      reserveAnyway(more);
      add(more);
      return true;
    }
  }

  /**
   * The caller accounts for bytes that were {@linkplain #reserve reserved}. Only on its own loop.
   */
  public void counted(long reserved) {
    add(-reserved);
  }

  /** Reserves bytes even beyond the ceiling. Only on its own loop. */
  public void reserveAnyway(long more) {
    RESERVED.setOpaque(this, reserved + more);
  }

  /** Releases a reservation. Only on its own loop. */
  public void unreserve(long less) {
    RESERVED.setOpaque(this, reserved - less);
  }

  /**
   * Whether a request on another loop has waited for long, and longer than all on this one. Small
   * values that come all the time would otherwise leave no room for a large one.
   */
  private boolean overtakes() {
    for (MemoryShare share : all) {
      if (share != this
          && share.awaited
          && Clocks.nanos() - share.awaitedSince > PATIENCE_NANOS
          && !(awaited && awaitedSince - share.awaitedSince <= 0)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Sets since when the oldest request for a reservation has waited on this loop, in {@link
   * System#nanoTime}'s nanoseconds. Only on its own loop.
   */
  public void awaitSince(long since) {
    awaitedSince = since;
    awaited = true;
  }

  /** No request for a reservation waits on this loop. Only on its own loop. */
  public void awaitNothing() {
    awaited = false;
  }

  /** Whether a request for a reservation waits, on any loop. */
  public boolean isAwaited() {
    for (MemoryShare share : all) {
      if (share.awaited) {
        return true;
      }
    }
    return false;
  }

  private long sumReserved() {
    long sum = 0;
    for (MemoryShare share : all) {
      sum += (long) RESERVED.getOpaque(share);
    }
    return sum;
  }

  /** The ceiling of buffered bytes, divided evenly among the event loops. */
  public long evenShare() {
    return ceiling / all.length;
  }

  private long tight() {
    return ceiling - (ceiling >>> 3);
  }

  /**
   * Whether nothing more should be read, because buffered bytes or request objects take seven
   * eighths of their ceiling.
   */
  public boolean isTight() {
    return total() > tight() || objects() > objectCeiling - (objectCeiling >>> 3);
  }

  /** Whether the ceiling is reached. */
  public boolean isFull() {
    return total() >= ceiling;
  }

  /**
   * Whether this many more bytes leave half of the ceiling free. They are for purposes that can
   * wait, without an effect on others.
   */
  public boolean isAmpleWith(long more) {
    return total() + more <= ceiling >>> 1 && isRelaxed();
  }

  /** Whether a quarter of the ceiling is used: half of what {@link #isAmpleWith} allows. */
  public boolean isQuarterUsed() {
    return total() >= ceiling >>> 2;
  }

  /** Whether reading may resume: less than three quarters of the ceiling. */
  public boolean isRelaxed() {
    return total() < ceiling - (ceiling >>> 2) && objects() < objectCeiling - (objectCeiling >>> 2);
  }
}
