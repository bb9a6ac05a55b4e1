package sluice.gateway.dispatch.policy;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.PoolBackend;
import sluice.gateway.dispatch.chunks.ChunkedBackend;
import sluice.gateway.dispatch.chunks.Split;
import sluice.gateway.loop.Loop;
import sluice.gateway.near.NearCache;
import sluice.gateway.route.Action;
import sluice.gateway.route.Migration;
import sluice.gateway.route.Rule;
import sluice.gateway.time.Chance;
import sluice.gateway.time.Clocks;
import sluice.gateway.values.TimesToLive;

/**
 * Factory of a rule's backends. Policies are always nested in the same order, from the outermost to
 * the pool:
 *
 * <pre>
 *   near cache ── shadow ── failover ── migrate ─┬─ replicate ── fill on miss ─┐
 *                                                ├─ chunks ────────────────────┼─ times to live ── pool
 *                                                ├─ hedge ─────────────────────┤
 *                                                └─────────────────────────────┘
 * </pre>
 *
 * <p>{@code sluice check} refuses rules whose policies do not go together.
 */
final class Backends {
  private final Action action;
  private final Pool[] pools;
  private final Loop loop;
  private final long itemSize;

  /**
   * A factory for one rule.
   *
   * @param pools all of the configuration, which the rule's action indexes
   * @param itemSize of the largest values that clients may have, in bytes
   */
  Backends(Rule rule, Pool[] pools, Loop loop, long itemSize) {
    action = rule.action();
    this.pools = pools;
    this.loop = loop;
    this.itemSize = itemSize;
  }

  /**
   * The rule's chain.
   *
   * @param cache its near cache, if it has one
   */
  Backend chain(@Nullable NearCache cache) {
    PoolBackend[] failoverPools =
        Arrays.stream(action.failover())
            .mapToObj(index -> bounded(index, action.failoverLifetimes()))
            .toArray(PoolBackend[]::new);
    Backend chain = migrating(failoverPools);
    if (failoverPools.length > 0) {
      Backend[] others =
          Arrays.stream(failoverPools)
              .map(each -> chunked(each, failoverPools))
              .toArray(Backend[]::new);
      chain = new FailoverBackend(chain, others, action.rewrite());
    }
    if (action.shadow() != null) {
      PoolBackend shadow = bounded(action.shadow().pool(), action.lifetimes());
      chain = new ShadowBackend(chain, shadow, action.shadow().share(), loop);
    }
    if (cache != null) {
      String name = pools[action.pool()].name();
      chain = new NearCacheBackend(cache, loop.metrics().near(name), chain);
    }
    return chain;
  }

  private Backend migrating(PoolBackend[] failoverPools) {
    PoolBackend own = bounded(action.pool(), action.lifetimes());
    Backend stays = several(own, failoverPools);
    Migration migration = action.migration();
    if (migration == null) {
      return stays;
    }
    PoolBackend moved = bounded(migration.pool(), action.lifetimes());
    return new MigrateBackend(migration, stays, hedged(moved, failoverPools));
  }

  private Backend several(PoolBackend own, PoolBackend[] failoverPools) {
    if (action.warm() >= 0) {
      return new FillOnMissBackend(own, bounded(action.warm(), action.lifetimes()));
    }
    Action.Replication replication = action.replication();
    if (replication == null) {
      return hedged(own, failoverPools);
    }
    PoolBackend[] members =
        IntStream.concat(IntStream.of(-1), Arrays.stream(replication.others()))
            .mapToObj(index -> index < 0 ? own : bounded(index, action.lifetimes()))
            .toArray(PoolBackend[]::new);
    return new CopyBackend(CopyPolicy.replicas(members, replication.acks(), replication.nearest()));
  }

  /** Adds hedging to a pool, unless the second pool is the same. */
  private Backend hedged(PoolBackend pool, PoolBackend[] failoverPools) {
    Action.Hedge hedge = action.hedge();
    if (hedge == null || pools[hedge.pool()] == pool.pool()) {
      return chunked(pool, failoverPools);
    }
    return new HedgeBackend(pool, bounded(hedge.pool(), action.lifetimes()), hedge, loop);
  }

  /** Adds chunks to a pool, which fail over where items do. */
  private Backend chunked(PoolBackend pool, PoolBackend[] failoverPools) {
    if (action.chunks() == null) {
      return pool;
    }
    long seed = Chance.nextUnique();
    return new ChunkedBackend(
        new Split(action.chunks(), pool, failoverPools, itemSize, seed, loop));
  }

  private PoolBackend bounded(int index, Action.@Nullable Lifetimes bounds) {
    Pool pool = pools[index];
    if (bounds == null) {
      return new PoolBackend(pool);
    }
    return new PoolBackend(
        pool,
        new TimesToLive(
            bounds.min(),
            bounds.max(),
            bounds.jitter(),
            pool.work(),
            Clocks::seconds,
            Chance::nextDouble));
  }
}
