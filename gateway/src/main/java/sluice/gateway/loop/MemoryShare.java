package sluice.gateway.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import sluice.gateway.time.Clocks;

/**
 * One event loop's account of its buffered bytes, and of the heap that its request objects take.
 * All loops have such an account. Only its own loop writes; every loop reads the sum.
 */
public final class MemoryShare {
  private static final VarHandle BYTES;
  private static final VarHandle RESERVED;
  private static final VarHandle SMALL;
  private static final VarHandle OBJECTS;

  /** Request objects may take this fraction of the heap; beyond it, memory counts as tight. */
  private static final int PART_OF_HEAP = 4;

  /**
   * A request for a reservation that has waited longer than this is not overtaken by other loops.
   */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A reservation of at most this part of the ceiling is small. */
  private static final int SMALL_PART = 64;

  /** Small reservations that overtake others may have this part of the ceiling together. */
  private static final int PART_OF_SMALL = 8;

  static {
    try {
      BYTES = MethodHandles.lookup().findVarHandle(MemoryShare.class, "bytes", long.class);
      OBJECTS = MethodHandles.lookup().findVarHandle(MemoryShare.class, "objects", long.class);
      SMALL = MethodHandles.lookup().findVarHandle(MemoryShare.class, "small", long.class);
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
  private long small; // of the reserved bytes
  private volatile boolean awaited; // rarely written
  private volatile long awaitedSince;
  private volatile long awaitedBytes;

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

  /** The bytes of heap that the request objects of all loops take together; from any thread. */
  public long objects() {
    return sum(OBJECTS);
  }

  /** The bytes of heap that the request objects of all loops may take together. */
  public long objectCeiling() {
    return objectCeiling;
  }

  /** The bytes that all loops have buffered together. */
  public long total() {
    return sum(BYTES);
  }

  /**
   * Reserves bytes for something that is useful only as a whole. It succeeds if all loops together
   * have that many bytes left, or if nothing else is reserved. So every holder of a reservation can
   * make progress, and there is always one. The bytes count from now on; a caller that accounts for
   * them itself, all at once, calls {@link #counted}. Only on its own loop.
   *
   * @return whether they are reserved
   */
  public boolean reserve(long more) {
    synchronized (all) { // two loops must not both get the last bytes
      long first = mostAwaited();
      boolean waitsToo = first > 0 && !mayOvertake(more, first);
      if (waitsToo || (total() + more > tight() && sum(RESERVED) > 0)) {
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
    if (isSmall(more)) {
      SMALL.setOpaque(this, small + more);
    }
  }

  /** Releases a reservation, of that many bytes. Only on its own loop. */
  public void unreserve(long less) {
    RESERVED.setOpaque(this, reserved - less);
    if (isSmall(less)) {
      SMALL.setOpaque(this, small - less);
    }
  }

  private boolean isSmall(long bytes) {
    return bytes <= ceiling / SMALL_PART;
  }

  /**
   * Whether a request for a reservation may overtake a waiting one for {@code first} bytes. The
   * waiting request may wait minutes for a slow client. So small requests overtake it, as long as
   * they leave room for it: it succeeds when the large reservations before it have been released.
   */
  public boolean mayOvertake(long more, long first) {
    long unreserved = Math.max(0, total() - sum(RESERVED));
    long room = Math.min(ceiling / PART_OF_SMALL, tight() - unreserved - first);
    return isSmall(more) && sum(SMALL) + more <= room;
  }

  /**
   * The bytes of the largest request that has waited long on another loop, and longer than all on
   * this one; 0 if there is none.
   */
  private long mostAwaited() {
    long most = 0;
    for (MemoryShare share : all) {
      if (share != this
          && share.awaited
          && Clocks.nanos() - share.awaitedSince > PATIENCE_NANOS
          && !(awaited && awaitedSince - share.awaitedSince <= 0)) {
        most = Math.max(most, share.awaitedBytes);
      }
    }
    return most;
  }

  /**
   * Sets the oldest request for a reservation that waits on this loop. Only on its own loop.
   *
   * @param since in {@link System#nanoTime}'s nanoseconds
   * @param wanted bytes
   */
  public void await(long since, long wanted) {
    awaitedSince = since;
    awaitedBytes = wanted;
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

  private long sum(VarHandle count) {
    long sum = 0;
    for (MemoryShare share : all) {
      sum += (long) count.getOpaque(share);
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
   * Whether request objects take three quarters of their part of the heap. Reading does not resume
   * before they take less, so unused ones must go.
   */
  public boolean areObjectsMany() {
    return objects() >= objectCeiling - (objectCeiling >>> 2);
  }

  /** Whether request objects take all of their part of the heap. */
  public boolean areObjectsFull() {
    return objects() >= objectCeiling;
  }

  /**
   * Whether this many more bytes leave half of the ceiling free. For purposes that can wait without
   * an effect on others.
   */
  public boolean isAmpleWith(long more) {
    return total() + more <= ceiling >>> 1 && isRelaxed();
  }

  /** Whether a quarter of the ceiling is used: half of what {@link #isAmpleWith} allows. */
  public boolean isQuarterUsed() {
    return total() >= ceiling >>> 2;
  }

  /**
   * Whether buffered bytes alone, without request objects, take three quarters of their ceiling.
   * Where they do, bytes that peers have begun to send, and do not complete, must go.
   */
  public boolean areBytesMany() {
    return total() >= ceiling - (ceiling >>> 2);
  }

  /** Whether reading may resume: less than three quarters of the ceiling. */
  public boolean isRelaxed() {
    return !areBytesMany() && !areObjectsMany();
  }
}
