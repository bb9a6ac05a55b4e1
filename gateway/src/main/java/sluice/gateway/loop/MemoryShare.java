package sluice.gateway.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One event loop's count of the bytes it has buffered, beside all the others' of the process, and
 * of the heap that its objects for requests take. Only its own loop writes; every loop reads the
 * sum.
 */
public final class MemoryShare {
  private static final VarHandle BYTES;
  private static final VarHandle RESERVED;
  private static final VarHandle OBJECTS;

  /** Requests may take this part of the heap; beyond, memory is tight as if bytes used it up. */
  private static final int PART_OF_HEAP = 4;

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
  private volatile boolean awaited; // seldom written

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
   * @param objectCeiling of bytes of heap that objects for requests take
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
   * Adds to what this loop's objects for requests take of the heap, used or kept for the next;
   * negative: no longer. Only on its own loop.
   */
  public void addObjects(long delta) {
    OBJECTS.setOpaque(this, objects + delta);
  }

  /** The bytes of heap that the objects of all loops take together. */
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
   * Reserves bytes for something that is of use only as a whole, if all loops together have them
   * left, or if nothing else is reserved: so whoever has a reservation can go on, and somebody
   * always has one. They are counted from now on; a caller that counts them itself, all at once,
   * says so by {@link #counted}. Only on its own loop.
   *
   * @return whether they are reserved
   */
  public boolean reserve(long more) {
    synchronized (all) { // two loops may not both get what is left for one
      if (total() + more > tight() && sumReserved() > 0) {
        return false;
      }
      reserveAnyway(more);
      add(more);
      return true;
    }
  }

  /** The caller counts bytes that were {@linkplain #reserve reserved}. Only on its own loop. */
  public void counted(long reserved) {
    add(-reserved);
  }

  /** Reserves bytes, whether there are any left. Only on its own loop. */
  public void reserveAnyway(long more) {
    RESERVED.setOpaque(this, reserved + more);
  }

  /** Gives a reservation back. Only on its own loop. */
  public void unreserve(long less) {
    RESERVED.setOpaque(this, reserved - less);
  }

  /** Somebody on this loop waits for a reservation, or nobody does. Only on its own loop. */
  public void await(boolean now) {
    awaited = now;
  }

  /** Whether somebody waits for a reservation, on any loop. */
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
   * Whether so much is buffered, or so much heap is taken, that nothing more should be read: seven
   * eighths of the ceiling.
   */
  public boolean isTight() {
    return total() > tight() || objects() > objectCeiling - (objectCeiling >>> 3);
  }

  /** Whether the ceiling is reached. */
  public boolean isFull() {
    return total() >= ceiling;
  }

  /**
   * Whether so many bytes more leave half of the ceiling free: what takes them can wait, and others
   * need not notice.
   */
  public boolean isAmpleWith(long more) {
    return total() + more <= ceiling >>> 1 && isRelaxed();
  }

  /** Whether a quarter of the ceiling is used: half of what {@link #isAmpleWith} has to give. */
  public boolean isQuarterUsed() {
    return total() >= ceiling >>> 2;
  }

  /** Whether reading may go on: less than three quarters of the ceiling. */
  public boolean isRelaxed() {
    return total() < ceiling - (ceiling >>> 2) && objects() < objectCeiling - (objectCeiling >>> 2);
  }
}
