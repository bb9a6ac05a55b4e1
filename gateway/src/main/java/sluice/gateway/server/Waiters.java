package sluice.gateway.server;

import java.util.ArrayList;
import java.util.List;

/** Those whose requests to one server cannot be sent yet. Belongs to one event loop's thread. */
final class Waiters {
  private List<Server.Waiter> waiting = new ArrayList<>();
  private List<Server.Waiter> woken = new ArrayList<>();
  private boolean waking;
  private boolean again;

  /** Tells waiter, once, when something has changed. */
  void add(Server.Waiter waiter) {
    waiting.add(waiter);
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Something has changed. */
  void wake() {
    again = true;
    if (waking) {
      return; // what the woken write can fill and empty the socket: those who wait anew come then
    }
    waking = true;
    try {
      while (again && !waiting.isEmpty()) {
        again = false;
        List<Server.Waiter> now = waiting;
        waiting = woken;
        woken = now;
        for (int i = 0; i < now.size(); i++) {
          now.get(i).serverChanged();
        }
        now.clear();
      }
    } finally {
      waking = false;
    }
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
