package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import sluice.config.Dialect;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.route.Action;
import sluice.gateway.route.Migration;
import sluice.gateway.values.TimesToLive;

/** Where the requests of one rule go, as one event loop sees it. */
final class Destination {
  private final Target pool;
  private final Migration migration; // or null
  private final Target moved; // or null
  private final Target[] failover;
  private final KeyRewrite rewrite; // or null

  /** Where an action leads that does not reject; its pools index targets. */
  static Destination of(Action action, Target[] targets) {
    Action.Lifetimes bounds = action.lifetimes();
    Migration migration = action.migration();
    Target[] failover =
        Arrays.stream(action.failover())
            .mapToObj(index -> bounded(targets[index], action.failoverLifetimes()))
            .toArray(Target[]::new);
    return new Destination(
        bounded(targets[action.pool()], bounds),
        migration,
        migration == null ? null : bounded(targets[migration.pool()], bounds),
        failover,
        action.rewrite());
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
      Target pool, Migration migration, Target moved, Target[] failover, KeyRewrite rewrite) {
    this.pool = pool;
    this.migration = migration;
    this.moved = moved;
    this.failover = failover;
    this.rewrite = rewrite;
  }

  /**
   * The pool for a request whose key, as its client names it, is [from, to). Borrows key.
   *
   * @param renamed a buffer for what the key becomes; borrowed
   */
  Target of(Dialect dialect, ByteBuf key, int from, int to, ByteBuf renamed) {
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
