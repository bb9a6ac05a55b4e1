package sluice.gateway.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One event loop's count of the bytes it has buffered, beside all the others' of the process. Only
 * its own loop writes; every loop reads the sum.
 */
public final class MemoryShare {
  private static final VarHandle BYTES;
  private static final VarHandle RESERVED;

  static {
    try {
      BYTES = MethodHandles.lookup().findVarHandle(MemoryShare.class, "bytes", long.class);
      RESERVED = MethodHandles.lookup().findVarHandle(MemoryShare.class, "reserved", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MemoryShare[] all;
  private final long ceiling;
  private long bytes;
  private long reserved;
  private volatile boolean awaited; // seldom written

  private MemoryShare(MemoryShare[] all, long ceiling) {
    this.all = all;
    this.ceiling = ceiling;
  }

  /** The shares of {@code loops} event loops under one ceiling in bytes. */
  public static MemoryShare[] of(int loops, long ceiling) {
    MemoryShare[] all = new MemoryShare[loops];
    for (int i = 0; i < loops; i++) {
      all[i] = new MemoryShare(all, ceiling);
    }
    return all;
  }

  /** Adds to this loop's count; delta may be negative. Only on its own loop. */
  public void add(long delta) {
    BYTES.setOpaque(this, bytes + delta);
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

  private long tight() {
    return ceiling - (ceiling >>> 3);
  }

  /** Whether so much is buffered that nothing more should be read: seven eighths of the ceiling. */
  public boolean isTight() {
    return total() > tight();
  }

  /** Whether the ceiling is reached. */
  public boolean isFull() {
    return total() >= ceiling;
  }

  /** Whether reading may go on: less than three quarters of the ceiling. */
  public boolean isRelaxed() {
    return total() < ceiling - (ceiling >>> 2);
  }
}
