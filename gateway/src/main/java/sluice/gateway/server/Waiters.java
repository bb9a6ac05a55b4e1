package sluice.gateway.server;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.loop.Loop;

/** Requests that wait for one server. Belongs to one event loop's thread. */
final class Waiters {
  private static final Logger LOG = LoggerFactory.getLogger(Waiters.class);

  private static final Comparator<ServerWaiter> LONGEST_FIRST =
      (one, other) -> Long.signum(one.waitingSince() - other.waitingSince());

  private List<ServerWaiter> waiting = new ArrayList<>();
  private List<ServerWaiter> woken = new ArrayList<>();
  private final Loop loop;
  private final Runnable wakeAll = this::wakeAll;
  private boolean waking;

  Waiters(Loop loop) {
    this.loop = loop;
  }

  /** Notifies waiter once when something has changed. */
  void add(ServerWaiter waiter) {
    waiting.add(waiter);
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Whether the waiters are about to be notified. */
  boolean areAboutToWake() {
    return waking;
  }

  /**
   * Notifies all waiters in a later task, because the current one may be in the middle of another
   * client's request, for example in a write that empties the socket.
   *
   * <p>Those that have waited for longest come first. A client may send all its requests until the
   * connection is full again, and waits with the next one before the others do with theirs.
   */
  void wake() {
    if (!waking && !waiting.isEmpty()) {
      waking = true;
      loop.eventLoop().execute(wakeAll);
    }
  }

  private void wakeAll() {
    loop.beginIteration();
    waking = false;
    List<ServerWaiter> now = waiting;
    waiting = woken;
    woken = now;
    now.sort(LONGEST_FIRST);
    for (int i = 0; i < now.size(); i++) {
      try {
        now.get(i).serverChanged();
      } catch (Throwable e) { // the others must still be woken
        LOG.error("a request that waited for a server failed: an internal error", e);
      }
    }
    now.clear();
  }

  /** Fails requests that have waited for longer than limit, in nanoseconds. */
  void sweep(long now, long limit, String reason) {
    for (int i = waiting.size() - 1; i >= 0; i--) {
      if (i < waiting.size() && now - waiting.get(i).waitingSince() > limit) {
        ServerWaiter late = waiting.remove(i);
        try {
          late.serverTooLate(reason);
        } catch (Throwable e) { // as above
          LOG.error("a request that waited for a server failed: an internal error", e);
        }
      }
    }
  }
}
