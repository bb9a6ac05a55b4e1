package sluice.gateway.session;

import java.util.ArrayDeque;
import sluice.gateway.loop.MemoryShare;

/**
 * Memory for values that must be whole before anything is done with them. It is given for all of a
 * value before the first byte of it is read: many that are half there, and have used up {@code
 * process.memory}, would wait for each other for ever. One an event loop.
 */
public final class Room {
  /** Who needs room. */
  public interface Waiter {
    /** There is room, and it is taken. */
    void roomTaken();
  }

  private record Request(Waiter waiter, int bytes) {}

  private final MemoryShare memory;
  private final ArrayDeque<Request> waiting = new ArrayDeque<>();

  Room(MemoryShare memory) {
    this.memory = memory;
  }

  /**
   * Takes room for so many bytes, until they are {@linkplain #giveBack given back}. The caller
   * counts them as held, and then {@linkplain #counted says so}.
   *
   * @return false if there is none: then waiter is told when there is, and it is taken, unless it
   *     {@linkplain #forget forgets} it
   */
  public boolean take(int bytes, Waiter waiter) {
    if (waiting.isEmpty() && memory.reserve(bytes)) {
      return true;
    }
    waiting.add(new Request(waiter, bytes));
    memory.await(true);
    return false;
  }

  /** As {@link #take}, for a caller that can do without; false if there is none. */
  public boolean takeNow(int bytes) {
    return waiting.isEmpty() && memory.reserve(bytes);
  }

  /** The caller counts as held what it has just taken. */
  public void counted(int bytes) {
    memory.counted(bytes);
  }

  /**
   * Takes room, whether there is any: the caller keeps some that others wait for until then, and
   * counts all of it.
   */
  public void takeAnyway(int bytes) {
    memory.reserveAnyway(bytes);
  }

  /** The values are not in the making any more, whether they came or not. */
  public void giveBack(int bytes) {
    memory.unreserve(bytes);
  }

  /** Waiter does not want any more what it has not been given. */
  public void forget(Waiter waiter) {
    if (waiting.removeIf(request -> request.waiter() == waiter)) {
      memory.await(!waiting.isEmpty());
    }
  }

  /** Called every few milliseconds: gives those who wait, in their order, what there is. */
  void sweep() {
    while (!waiting.isEmpty() && memory.reserve(waiting.peek().bytes())) {
      Request next = waiting.poll();
      memory.await(!waiting.isEmpty());
      next.waiter().roomTaken();
    }
  }
}
