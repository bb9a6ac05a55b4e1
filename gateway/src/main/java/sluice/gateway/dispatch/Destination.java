package sluice.gateway.dispatch;

import static java.util.stream.Collectors.toSet;

import io.netty.buffer.ByteBuf;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.loop.Loop;
import sluice.gateway.near.Changes;
import sluice.gateway.near.NearCache;
import sluice.gateway.near.NearCaches;
import sluice.gateway.route.Action;
import sluice.gateway.route.Migration;
import sluice.gateway.route.Rule;
import sluice.gateway.values.TimesToLive;
import sluice.names.Dialect;

/** Where the requests of one rule go, as one event loop sees it. */
public final class Destination {
  /** Gateways that begin in the same moment must not give the same stamps. */
  private static final SecureRandom STAMPS = new SecureRandom();

  private final Target pool;
  private final Migration migration; // or null
  private final Target moved; // or null
  private final Target[] failover;
  private final KeyRewrite rewrite; // or null
  private final Copying copying; // or null
  private final Limiter limiter; // or null
  private final NearCaches nearCaches;
  private final Set<String> pools;
  private NearCaches.Current nearSeen;
  private Changes changes; // as of then; or null

  /**
   * Where a rule's action leads that does not reject; its pools index targets.
   *
   * @param itemSize bytes of the largest values that clients may have
   * @param cache the rule's, or null
   * @param nearCaches all there are
   */
  public static Destination of(
      String route,
      Rule rule,
      Target[] pools,
      Loop loop,
      long itemSize,
      NearCache cache,
      NearCaches nearCaches) {
    Action action = rule.action();
    Target[] targets = pools.clone();
    if (cache != null) {
      Near near = new Near(cache, loop.metrics().near(pools[action.pool()].name()));
      for (int index : action.pools()) {
        targets[index] = pools[index].with(near);
      }
    }
    Set<String> written =
        Arrays.stream(action.written()).mapToObj(index -> pools[index].name()).collect(toSet());
    Action.Lifetimes bounds = action.lifetimes();
    Migration migration = action.migration();
    Target[] failover =
        Arrays.stream(action.failover())
            .mapToObj(index -> bounded(targets[index], action.failoverLifetimes()))
            .toArray(Target[]::new);
    Target pool = bounded(targets[action.pool()], bounds);
    Target moved = migration == null ? null : bounded(targets[migration.pool()], bounds);
    if (action.pieces() != null) {
      Function<Target, Target> split = inPieces(action.pieces(), failover, itemSize, loop);
      pool = split.apply(pool);
      moved = moved == null ? null : split.apply(moved);
      failover = Arrays.stream(failover).map(split).toArray(Target[]::new);
    }
    return new Destination(
        several(pool, action, targets),
        migration,
        moved,
        failover,
        action.rewrite(),
        action.shadow() == null ? null : new Copying(action.shadow(), targets, bounds, loop),
        action.limit() == null
            ? null
            : new Limiter(loop, action.limit(), loop.metrics().limit(route, rule.index())),
        nearCaches,
        written);
  }

  /** Large values come to a pool in pieces, which go elsewhere where items do. */
  private static Function<Target, Target> inPieces(
      Action.Chunks pieces, Target[] failover, long itemSize, Loop loop) {
    return target -> {
      long seed = STAMPS.nextLong();
      Split split = new Split(pieces, target, failover, itemSize, seed, loop);
      return target.with(split);
    };
  }

  private static Target several(Target first, Action action, Target[] targets) {
    if (action.warm() >= 0) {
      return first.with(Spread.warming(first, targets[action.warm()]));
    }
    Action.Replication replication = action.replication();
    if (replication == null) {
      return first;
    }
    Target[] members =
        IntStream.concat(IntStream.of(-1), Arrays.stream(replication.others()))
            .mapToObj(index -> index < 0 ? first : bounded(targets[index], action.lifetimes()))
            .toArray(Target[]::new);
    return first.with(Spread.replicas(members, replication.acks(), replication.nearest()));
  }

  /** Gives a share of the requests to a shadow, too. */
  private static final class Copying {
    private final double share;
    private final Target shadow;
    private final Loop loop;
    private final IdentityHashMap<Target, Target> both = new IdentityHashMap<>();

    Copying(Action.Shadow shadow, Target[] targets, Action.Lifetimes bounds, Loop loop) {
      share = shadow.share();
      this.shadow = bounded(targets[shadow.pool()], bounds);
      this.loop = loop;
    }

    Target of(Target answering) {
      if (answering.embedded() != null
          || answering.name().equals(shadow.name()) // keys that moved there
          || (share < 1 && ThreadLocalRandom.current().nextDouble() >= share)) {
        return answering;
      }
      Target copied = both.computeIfAbsent(answering, this::both);
      Shadows shadows = copied.spread().shadows();
      if (!shadows.hasRoom()) {
        shadows.skipped();
        return answering;
      }
      return copied;
    }

    private Target both(Target answering) {
      Shadows shadows = new Shadows(loop, answering.name(), shadow.name());
      return answering.with(Spread.shadow(answering, shadow, shadows));
    }
  }

  private static Target bounded(Target target, Action.Lifetimes bounds) {
    return bounds == null
        ? target
        : target.with(
            new TimesToLive(
                bounds.min(),
                bounds.max(),
                bounds.jitter(),
                target.work(),
                () -> TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()),
                () -> ThreadLocalRandom.current().nextDouble()));
  }

  private Destination(
      Target pool,
      Migration migration,
      Target moved,
      Target[] failover,
      KeyRewrite rewrite,
      Copying copying,
      Limiter limiter,
      NearCaches nearCaches,
      Set<String> pools) {
    this.pool = pool;
    this.migration = migration;
    this.moved = moved;
    this.failover = failover;
    this.rewrite = rewrite;
    this.copying = copying;
    this.limiter = limiter;
    this.nearCaches = nearCaches;
    this.pools = pools;
  }

  /** Near caches that read from where this leads, by whatever rule; null if there are none. */
  public Changes changes() {
    NearCaches.Current now = nearCaches.current();
    if (now != nearSeen) {
      nearSeen = now;
      changes = now.of(pools);
    }
    return changes;
  }

  /** How many of the rule's requests pass; null: all. */
  public Limiter limiter() {
    return limiter;
  }

  /**
   * The pool for a request whose key, as its client names it, is [from, to). Borrows key.
   *
   * @param renamed a buffer for what the key becomes; borrowed
   */
  public Target of(Dialect dialect, ByteBuf key, int from, int to, ByteBuf renamed) {
    Target answering = answering(dialect, key, from, to, renamed);
    return copying == null ? answering : copying.of(answering);
  }

  private Target answering(Dialect dialect, ByteBuf key, int from, int to, ByteBuf renamed) {
    Target first = migration != null && migration.hasMoved(key, from, to) ? moved : pool;
    if (failover.length == 0 || !first.mayBeDown(dialect)) {
      return first;
    }
    if (rewrite == null || !rewrite.fits(key, from, to)) {
      return upOf(first, dialect, key, from, to);
    }
    renamed.clear();
    rewrite.toServer(key, from, to, renamed);
    return upOf(first, dialect, renamed, 0, renamed.writerIndex());
  }

  private Target upOf(Target first, Dialect dialect, ByteBuf key, int from, int to) {
    if (!first.isDown(dialect, key, from, to)) {
      return first;
    }
    for (Target next : failover) {
      if (!next.isDown(dialect, key, from, to)) {
        return next;
      }
    }
    return first;
  }
}
