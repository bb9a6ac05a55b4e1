package sluice.gateway.route;

import java.util.Arrays;
import java.util.stream.IntStream;
import sluice.gateway.exchange.KeyRewrite;

/**
 * What becomes of a request that a rule takes: pools are indices into the configuration's.
 *
 * @param pool -1 with a reject
 * @param rewrite how keys change on their way, or null
 * @param reject what such a request is refused with, or null
 * @param migration which keys go to another pool, or null
 * @param failover pools that are tried, in order, when the server of a key takes no requests
 * @param failoverTtl seconds that what is written to those lives at most; 0 without bound
 * @param lifetimes what times to live may be, or null
 */
public record Action(
    int pool,
    KeyRewrite rewrite,
    String reject,
    Migration migration,
    int[] failover,
    long failoverTtl,
    Lifetimes lifetimes) {
  private static final int[] NONE = {};

  /**
   * Bounds of times to live.
   *
   * @param min in seconds; 0 for none
   * @param max in seconds, also of what is to live for ever; 0 for none
   * @param jitter by what share a time is shortened at most, 0 to 1
   */
  public record Lifetimes(long min, long max, double jitter) {}

  /** Refuses. */
  public static Action reject(String text) {
    return new Action(-1, null, text, null, NONE, 0, null);
  }

  /**
   * Bounds of times to live where a request goes whose server takes none; null if there are none.
   */
  public Lifetimes failoverLifetimes() {
    if (failoverTtl == 0) {
      return lifetimes;
    }
    if (lifetimes == null) {
      return new Lifetimes(0, failoverTtl, 0);
    }
    long max = lifetimes.max() == 0 ? failoverTtl : Math.min(lifetimes.max(), failoverTtl);
    return new Lifetimes(Math.min(lifetimes.min(), max), max, lifetimes.jitter());
  }

  /** All pools that requests may go to, each once, its own first. */
  public int[] pools() {
    IntStream moved = migration == null ? IntStream.empty() : IntStream.of(migration.pool());
    return IntStream.concat(IntStream.concat(IntStream.of(pool), moved), Arrays.stream(failover))
        .filter(each -> each >= 0)
        .distinct()
        .toArray();
  }
}
