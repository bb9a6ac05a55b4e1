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
 * @param replication what is done with the other pools that requests go to as well, or null
 * @param shadow who gets copies of requests, or null
 * @param warm the pool that misses of the other are filled from, or -1
 * @param hedge where reads are also sent that take too long, or null
 * @param limit how many requests pass, or null
 * @param pieces how large values are stored in pieces, or null
 */
public record Action(
    int pool,
    KeyRewrite rewrite,
    String reject,
    Migration migration,
    int[] failover,
    long failoverTtl,
    Lifetimes lifetimes,
    Replication replication,
    Shadow shadow,
    int warm,
    Hedge hedge,
    RateLimit limit,
    Chunks pieces) {
  private static final int[] NONE = {};

  /**
   * Bounds of times to live.
   *
   * @param min in seconds; 0 for none
   * @param max in seconds, also of what is to live for ever; 0 for none
   * @param jitter by what share a time is shortened at most, 0 to 1
   */
  public record Lifetimes(long min, long max, double jitter) {}

  /** How many pools must have acknowledged a change. */
  public enum Acks {
    ALL,
    ONE,
    MAJORITY
  }

  /**
   * Requests go to several pools at once.
   *
   * @param others than the first
   * @param acks how many of all must have acknowledged a change
   * @param nearest whether reads ask one alone
   */
  public record Replication(int[] others, Acks acks, boolean nearest) {}

  /**
   * A pool that gets copies of requests.
   *
   * @param share of the requests, 0 to 1
   */
  public record Shadow(int pool, double share) {}

  /**
   * A pool that reads are also sent to when their own has not begun to answer in time.
   *
   * @param afterMillis the time; 0 for a percentile
   * @param percentile of recent times, 1 to 99; 0 for a fixed time
   * @param budget the share of the reads that may be sent twice, 0 to 1
   */
  public record Hedge(int pool, long afterMillis, int percentile, double budget) {}

  /**
   * Large values are stored in pieces.
   *
   * @param above the longest value that is stored whole, in bytes
   * @param flag the bit of the flags that marks the others
   */
  public record Chunks(long above, int flag) {}

  /** Refuses. */
  public static Action reject(String text) {
    return new Action(-1, null, text, null, NONE, 0, null, null, null, -1, null, null, null);
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

  /** All pools that changes may go to, each once. */
  public int[] written() {
    IntStream shadowed = shadow == null ? IntStream.empty() : IntStream.of(shadow.pool());
    return IntStream.concat(Arrays.stream(pools()), shadowed).distinct().toArray();
  }

  /** All pools that answers may come from, each once, its own first. */
  public int[] pools() {
    IntStream moved = migration == null ? IntStream.empty() : IntStream.of(migration.pool());
    int[] others = replication == null ? NONE : replication.others();
    return IntStream.concat(
            IntStream.concat(IntStream.of(pool), moved),
            IntStream.concat(
                Arrays.stream(failover),
                IntStream.concat(
                    Arrays.stream(others), IntStream.of(warm, hedge == null ? -1 : hedge.pool()))))
        .filter(each -> each >= 0)
        .distinct()
        .toArray();
  }
}
