package sluice.gateway.server;

import java.util.ArrayList;
import java.util.List;
import sluice.gateway.loop.Loop;

/** Those whose requests to one server cannot be sent yet. Belongs to one event loop's thread. */
final class Waiters {
  private List<ServerWaiter> waiting = new ArrayList<>();
  private List<ServerWaiter> woken = new ArrayList<>();
  private final Loop loop;
  private final Runnable wakeAll = this::wakeAll;
  private boolean waking;

  Waiters(Loop loop) {
    this.loop = loop;
  }

  /** Tells waiter, once, when something has changed. */
  void add(ServerWaiter waiter) {
    waiting.add(waiter);
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /**
   * Something has changed. Those who wait look again behind what is being done now: that may be
   * another client's request, which a write that empties the socket is in the middle of.
   */
  void wake() {
    if (!waking && !waiting.isEmpty()) {
      waking = true;
      loop.eventLoop().execute(wakeAll);
    }
  }

  private void wakeAll() {
    loop.beginTurn();
    waking = false;
    List<ServerWaiter> now = waiting;
    waiting = woken;
    woken = now;
    for (int i = 0; i < now.size(); i++) {
      now.get(i).serverChanged();
    }
    now.clear();
  }

  /** Gives up on those who have waited for longer than limit, in nanoseconds. */
  void sweep(long now, long limit, String reason) {
    for (int i = waiting.size() - 1; i >= 0; i--) {
      if (i < waiting.size() && now - waiting.get(i).waitingSince() > limit) {
        waiting.remove(i).serverTooLate(reason);
      }
    }
  }
}
