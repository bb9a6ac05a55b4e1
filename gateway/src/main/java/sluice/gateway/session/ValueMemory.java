package sluice.gateway.session;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.time.Clocks;

/**
 * Reservation of memory for values that must be complete before they are processed. Memory for the
 * whole value is reserved before its first byte is read. Otherwise many half-read values could use
 * up {@code process.memory} and wait for each other forever. One for each event loop.
 */
public final class ValueMemory {
  /** Holder of a request for memory. */
  public interface Waiter {
    /** Called when the memory has been reserved. */
    void memoryReserved();
  }

  /** Request for bytes that waits since then, in {@link System#nanoTime}'s nanoseconds. */
  private record Request(Waiter waiter, int bytes, long since) {}

  private final MemoryShare memory;
  private final Map<Waiter, Request> waiting = new LinkedHashMap<>(); // the oldest first

  ValueMemory(MemoryShare memory) {
    this.memory = memory;
  }

  /**
   * Reserves memory until it is {@linkplain #release released}. The caller accounts for the bytes
   * as held, and then calls {@link #counted}. A waiter waits for one reservation at a time.
   *
   * @return false if there is not enough: then waiter is called when it has been reserved, unless
   *     it {@linkplain #forget withdraws}
   */
  public boolean reserve(int bytes, Waiter waiter) {
    if (tryReserve(bytes)) {
      return true;
    }
    waiting.put(waiter, new Request(waiter, bytes, Clocks.nanos()));
    await();
    return false;
  }

  /** As {@link #reserve}, for a caller that does not wait; false if there is not enough. */
  public boolean tryReserve(int bytes) {
    Request first = first();
    return (first == null || memory.mayOvertake(bytes, first.bytes())) && memory.reserve(bytes);
  }

  /** The caller accounts for the bytes it has reserved. */
  public void counted(int bytes) {
    memory.counted(bytes);
  }

  /**
   * Reserves memory even beyond the ceiling, for a caller that holds memory that others wait for
   * until it is done. The caller accounts for the bytes as held, and then calls {@link #counted}.
   */
  public void reserveAnyway(int bytes) {
    memory.reserveAnyway(bytes);
    memory.add(bytes);
  }

  /** Releases the memory of values, complete or not. */
  public void release(int bytes) {
    memory.unreserve(bytes);
  }

  /** Withdraws a waiter's request. */
  public void forget(Waiter waiter) {
    if (waiting.remove(waiter) != null) {
      await();
    }
  }

  private @Nullable Request first() {
    return waiting.isEmpty() ? null : waiting.values().iterator().next();
  }

  private void await() {
    Request first = first();
    if (first == null) {
      memory.awaitNothing();
    } else {
      memory.await(first.since(), first.bytes());
    }
  }

  /** Whether a value waits for its memory. */
  boolean isAwaited() {
    return !waiting.isEmpty();
  }

  /**
   * Called every few milliseconds: serves the waiting requests in their order. Small ones may
   * overtake the first.
   */
  void sweep() {
    Request first = first();
    while (first != null && memory.reserve(first.bytes())) {
      serve(first);
      first = first();
    }
    if (first == null || !memory.mayOvertake(1, first.bytes())) {
      return;
    }
    for (Request each : List.copyOf(waiting.values())) {
      if (waiting.get(each.waiter()) != each) {
        continue; // its client has gone meanwhile
      }
      if (tryReserve(each.bytes())) {
        serve(each);
      }
    }
  }

  private void serve(Request request) {
    waiting.remove(request.waiter());
    await();
    request.waiter().memoryReserved();
  }
}
