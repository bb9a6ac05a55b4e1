package sluice.testkit.misbehaving;

import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Shares of one server's replies that get a fault, with their counts, over all of its connections.
 */
final class Faults {
  /**
   * Number of replies after which every fault has been made once, because a slow machine sends few
   * more.
   */
  private static final int FIRST_BY = 300;

  private final Map<Fault, Double> shares = new ConcurrentHashMap<>();
  private final Map<Fault, Integer> served = new ConcurrentHashMap<>();
  private final AtomicInteger drawn = new AtomicInteger();
  private final byte[][] lastReplies = new byte[2][];
  private volatile long stallMillis = 50;

  /** Sets the share of replies that get a fault; 0 ends it. */
  void share(Fault fault, double share) {
    shares.put(fault, share);
  }

  /** Ends all faults. */
  void clear() {
    shares.clear();
  }

  int served(Fault fault) {
    return served.getOrDefault(fault, 0);
  }

  void stallMillis(long millis) {
    stallMillis = millis;
  }

  long stallMillis() {
    return stallMillis;
  }

  /** The fault of the next reply; null for none. */
  @Nullable Fault draw(Random random) {
    if (shares.isEmpty()) {
      return null;
    }
    int count = drawn.incrementAndGet();
    double chance = random.nextDouble();
    for (Fault fault : shares.keySet()) {
      double share = shares.getOrDefault(fault, 0.0);
      boolean due = count * share >= 0.5 || (share > 0 && count >= FIRST_BY);
      if (due && served(fault) == 0) {
        return fault;
      }
    }
    for (Fault fault : Fault.values()) {
      chance -= shares.getOrDefault(fault, 0.0);
      if (chance < 0) {
        return fault;
      }
    }
    return null;
  }

  void count(Fault fault) {
    served.merge(fault, 1, Integer::sum);
  }

  /** Keeps reply as the last one of its protocol, and returns the previous one on request. */
  byte @Nullable [] swap(boolean binary, byte[] reply, boolean wanted) {
    synchronized (lastReplies) {
      byte[] last = lastReplies[binary ? 1 : 0];
      lastReplies[binary ? 1 : 0] = reply;
      return wanted ? last : null;
    }
  }
}
