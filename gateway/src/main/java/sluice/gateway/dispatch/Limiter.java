package sluice.gateway.dispatch;

import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.LimitMetrics;
import sluice.gateway.route.RateLimit;

/** A rule's limit as one event loop sees it: the bucket is everybody's, the counter its own. */
public final class Limiter {
  private final Loop loop;
  private final RateLimit limit;
  private final LimitMetrics metrics;
  private int wanted; // by the keys of a read of many

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

  /** One more key is to be taken for with the others. */
  public void want() {
    wanted++;
  }

  /** Keys that are to be taken for. */
  public int wanted() {
    return wanted;
  }

  /** None is to be taken any more. */
  public void wantNothing() {
    wanted = 0;
  }

  /** They are not sent: others may pass in their place. */
  public void putBack(int requests) {
    limit.putBack(requests);
  }

  /** What those are told that do not pass. */
  public String reason() {
    return limit.reason();
  }
}
