package sluice.gateway.dispatch.policy;

import org.jspecify.annotations.Nullable;
import sluice.gateway.dispatch.PoolBackend;
import sluice.gateway.route.Action;

/**
 * Pools that a request is copied to, and the rule for selecting the reply. Each pool's values are
 * processed separately.
 *
 * @param members at least two; for a shadow, the pool that answers and its shadow
 * @param acks number of members that a change needs; null for a shadow
 * @param nearest whether a read goes to one member only, the one that has recently answered fastest
 * @param shadows handling of the copies; null if all members are equal
 * @param fillsOnMiss whether the second, which has the items, fills the first
 */
record CopyPolicy(
    PoolBackend[] members,
    Action.@Nullable Acks acks,
    boolean nearest,
    @Nullable Shadows shadows,
    boolean fillsOnMiss) {
  static CopyPolicy replicas(PoolBackend[] members, Action.Acks acks, boolean nearest) {
    return new CopyPolicy(members, acks, nearest, null, false);
  }

  static CopyPolicy shadow(PoolBackend answering, PoolBackend shadow, Shadows shadows) {
    return new CopyPolicy(new PoolBackend[] {answering, shadow}, null, false, shadows, false);
  }

  static CopyPolicy fillOnMiss(PoolBackend cold, PoolBackend warm) {
    return new CopyPolicy(new PoolBackend[] {cold, warm}, Action.Acks.ALL, false, null, true);
  }

  /** Whether the second member only gets copies. */
  boolean isShadow() {
    return shadows != null;
  }
}
