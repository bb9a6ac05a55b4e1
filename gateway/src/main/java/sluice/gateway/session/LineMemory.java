package sluice.gateway.session;

import java.util.ArrayDeque;
import sluice.gateway.loop.MemoryShare;

/**
 * Reservation of memory for long request lines, which must be complete before they are processed.
 * How long a line becomes is not known before its end, so each reserves the most. One for each
 * event loop.
 *
 * <p>Lines that are still arriving may use a small part of {@code process.memory}. Other lines
 * wait. Otherwise clients that stop inside a long line could fill it, and make all others wait.
 * Complete lines do not keep a reservation, but count: while memory is short, and there is a long
 * line, no other one begins.
 */
public final class LineMemory {
  /** The longest line without a reservation, in bytes. */
  public static final int SHORT = 16 * 1024;

  /** Bytes that a reservation is for: the length of the longest line. */
  public static final int LONGEST = 1024 * 1024;

  private static final int PART_OF_MEMORY = 4;

  /** Holder of a request for a reservation. */
  public interface Waiter {
    /** Called when the memory has been reserved. */
    void memoryReserved();
  }

  private final MemoryShare memory;
  private final long most;
  private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
  private long reserved;
  private long complete; // bytes of complete lines

  LineMemory(MemoryShare memory) {
    this.memory = memory;
    most = memory.evenShare() / PART_OF_MEMORY;
  }

  /**
   * Reserves memory for one line until it is {@linkplain #release released}. The caller accounts
   * for the bytes as held.
   *
   * @return false if there is not enough: then waiter is called when it has been reserved, unless
   *     it {@linkplain #forget withdraws}
   */
  public boolean reserve(Waiter waiter) {
    if (waiting.isEmpty() && tryReserve()) {
      return true;
    }
    waiting.add(waiter);
    return false;
  }

  private boolean tryReserve() {
    if (!isEnough()) {
      return false;
    }
    reserved += LONGEST;
    return true;
  }

  /** Whether one more line may arrive. A single one always may: so there always is progress. */
  private boolean isEnough() {
    return reserved + complete == 0
        || (memory.isRelaxed() && (reserved == 0 || reserved + LONGEST <= most));
  }

  /** Releases the reservation of a line, which is complete or will never be. */
  public void release() {
    reserved -= LONGEST;
  }

  /** Adds bytes of complete lines that are not {@link #SHORT}; negative: fewer. */
  public void addComplete(long delta) {
    complete += delta;
  }

  /** Withdraws a waiter's request. */
  public void forget(Waiter waiter) {
    waiting.remove(waiter);
  }

  /** Whether a line waits for its memory. */
  boolean isAwaited() {
    return !waiting.isEmpty();
  }

  /** Called every few milliseconds: serves the waiting requests in their order. */
  void sweep() {
    while (!waiting.isEmpty() && tryReserve()) {
      waiting.poll().memoryReserved();
    }
  }
}
