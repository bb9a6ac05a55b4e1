package sluice.gateway.dispatch;

import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.LimitMetrics;
import sluice.gateway.route.RateLimit;

/**
 * Rate limit of a rule on one event loop: the bucket is shared by all loops, the counter is not.
 */
public final class Limiter {
  private final Loop loop;
  private final RateLimit limit;
  private final LimitMetrics metrics;
  private int wanted; // keys of a read of many

  public Limiter(Loop loop, RateLimit limit, LimitMetrics metrics) {
    this.loop = loop;
    this.limit = limit;
    this.metrics = metrics;
  }

  /** Whether that many requests pass. */
  public boolean takes(int requests) {
    boolean passes = limit.take(requests, loop.now());
    if (!passes) {
      metrics.limited(requests);
    }
    return passes;
  }

  /** Adds a key to those that quota is taken for. */
  public void want() {
    wanted++;
  }

  /** Number of keys that quota is taken for. */
  public int wanted() {
    return wanted;
  }

  /** Clears that number. */
  public void wantNothing() {
    wanted = 0;
  }

  /** Returns the quota of requests that were not sent. */
  public void putBack(int requests) {
    limit.putBack(requests);
  }

  /** The error text for refused requests. */
  public String reason() {
    return limit.reason();
  }
}
