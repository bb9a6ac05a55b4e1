package sluice.gateway.session;

import java.util.LinkedHashSet;
import java.util.Set;
import sluice.gateway.loop.MemoryShare;

/**
 * Clients of one event loop that are not read until there is memory for their requests.
 *
 * <p>While memory is short, they are resumed one after another. Every second time it is the one
 * that has waited longest. The other times it is the one with the fewest buffered bytes. So a
 * client that reads its replies does not wait behind hundreds that do not.
 */
final class AwaitingMemory {
  /**
   * Sweeps after which a client is resumed although memory is full and has not become less full.
   */
  private static final int SWEEPS_WHEN_FULL = 20;

  private final MemoryShare memory;
  private final Set<LoopClient> waiting = new LinkedHashSet<>();
  private long fullAt; // bytes that were buffered when the last client was resumed
  private long objectsAt; // bytes of request objects then
  private int sweepsSince;
  private boolean smallestNext = true;

  AwaitingMemory(MemoryShare memory) {
    this.memory = memory;
  }

  void add(LoopClient client) {
    waiting.add(client);
  }

  void remove(LoopClient client) {
    waiting.remove(client);
  }

  /** Whether a client waits. */
  boolean isAwaited() {
    return !waiting.isEmpty();
  }

  /**
   * Called every few milliseconds: resumes as many clients as there is memory for, or only one if
   * it is still short. The bytes that a client has sent may be what uses it up.
   *
   * <p>Their requests may be for values that the gateway has itself. So beyond the ceiling, the
   * next client waits until the values of the last one are gone. It does not wait longer than
   * {@value #SWEEPS_WHEN_FULL} sweeps, because other bytes may stay.
   */
  void sweep() {
    if (waiting.isEmpty()) {
      return;
    }
    if (memory.isRelaxed()) {
      // some may wait again; the replies of the first may use up what the others waited for
      int most = waiting.size();
      for (int i = 0; i < most && !waiting.isEmpty() && memory.isRelaxed(); i++) {
        resume(longest());
      }
    } else {
      sweepsSince++;
      long total = memory.total();
      long objects = memory.objects();
      boolean isFuller =
          (memory.isFull() && total > fullAt) || (memory.areObjectsFull() && objects > objectsAt);
      if (!isFuller || sweepsSince >= SWEEPS_WHEN_FULL) {
        sweepsSince = 0;
        fullAt = total;
        objectsAt = objects;
        LoopClient next = smallestNext ? smallest() : longest();
        smallestNext = !smallestNext;
        resume(next);
      }
    }
  }

  private void resume(LoopClient client) {
    waiting.remove(client); // first: it may have to wait again
    client.resumeReading();
  }

  private LoopClient longest() {
    return waiting.iterator().next();
  }

  private LoopClient smallest() {
    LoopClient smallest = longest();
    long least = smallest.allHeldBytes();
    for (LoopClient client : waiting) {
      long held = client.allHeldBytes();
      if (held < least) {
        least = held;
        smallest = client;
      }
    }
    return smallest;
  }
}
