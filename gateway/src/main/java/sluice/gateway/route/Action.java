package sluice.gateway.route;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import sluice.gateway.request.KeyRewrite;

/**
 * What a rule does with a matching request. Pools are indexes into the configuration's list.
 *
 * @param pool -1 with a reject
 * @param rewrite how keys change on their way, or null
 * @param reject error text for refused requests, or null
 * @param migration which keys go to another pool, or null
 * @param failover pools that are tried, in order, when the server of a key accepts no requests
 * @param failoverTtl the longest time to live, in seconds, of items written to those; 0 for no
 *     bound
 * @param lifetimes bounds of times to live, or null
 * @param replication use of the other pools that requests go to as well, or null
 * @param shadow pool that gets copies of requests, or null
 * @param warm the pool that misses of the first are filled from, or -1
 * @param hedge pool that slow reads are also sent to, or null
 * @param limit of the rate of requests, or null
 * @param chunks how large values are stored in chunks, or null
 */
public record Action(
    int pool,
    @Nullable KeyRewrite rewrite,
    @Nullable String reject,
    @Nullable Migration migration,
    int[] failover,
    long failoverTtl,
    @Nullable Lifetimes lifetimes,
    @Nullable Replication replication,
    @Nullable Shadow shadow,
    int warm,
    @Nullable Hedge hedge,
    @Nullable RateLimit limit,
    @Nullable Chunks chunks) {
  private static final int[] NONE = {};

  /**
   * Bounds of times to live.
   *
   * @param min in seconds; 0 for none
   * @param max in seconds, also for items without a time to live; 0 for none
   * @param jitter the largest share by which a time is shortened, 0 to 1
   */
  public record Lifetimes(long min, long max, double jitter) {}

  /** Number of pools that must acknowledge a change. */
  public enum Acks {
    ALL,
    ONE,
    MAJORITY
  }

  /**
   * Replication of requests to several pools at the same time.
   *
   * @param others the pools besides the first
   * @param acks number of all these pools that must acknowledge a change
   * @param nearest whether a read goes to one pool only
   */
  public record Replication(int[] others, Acks acks, boolean nearest) {}

  /**
   * Pool that gets copies of requests.
   *
   * @param share of the requests, 0 to 1
   */
  public record Shadow(int pool, double share) {}

  /**
   * Pool that reads are also sent to if their own pool has not begun to answer in time.
   *
   * @param afterMillis the time; 0 for a percentile
   * @param percentile of recent times, 1 to 99; 0 for a fixed time
   * @param budget the share of the reads that may be sent twice, 0 to 1
   */
  public record Hedge(int pool, long afterMillis, int percentile, double budget) {}

  /**
   * Storage of large values in chunks.
   *
   * @param above the longest value that is stored whole, in bytes
   * @param flag the bit of the flags that marks the others
   */
  public record Chunks(long above, int flag) {}

  /** An action that refuses requests. */
  public static Action reject(String text) {
    return new Action(-1, null, text, null, NONE, 0, null, null, null, -1, null, null, null);
  }

  /** Bounds of times to live for requests that fail over; null if there are none. */
  public @Nullable Lifetimes failoverLifetimes() {
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

  /** All pools that answers may come from, each once, the rule's own first. */
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
