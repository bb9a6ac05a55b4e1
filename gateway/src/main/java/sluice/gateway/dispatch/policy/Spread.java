package sluice.gateway.dispatch.policy;

import sluice.gateway.dispatch.PoolBackend;
import sluice.gateway.route.Action;

/**
 * Several pools that a request is copied to, and which of their replies counts. Each pool's values
 * are worked on for itself.
 *
 * @param members at least two, for a shadow the pool that answers and its shadow
 * @param acks how many of them a change needs; null for a shadow
 * @param nearest whether reads ask one alone, the one that has answered fastest of late
 * @param shadows what becomes of the copies; null if all members are as good
 * @param warms whether the second fills the first, which has the items
 */
record Spread(
    PoolBackend[] members, Action.Acks acks, boolean nearest, Shadows shadows, boolean warms) {
  static Spread replicas(PoolBackend[] members, Action.Acks acks, boolean nearest) {
    return new Spread(members, acks, nearest, null, false);
  }

  static Spread shadow(PoolBackend answering, PoolBackend shadow, Shadows shadows) {
    return new Spread(new PoolBackend[] {answering, shadow}, null, false, shadows, false);
  }

  static Spread warming(PoolBackend cold, PoolBackend warm) {
    return new Spread(new PoolBackend[] {cold, warm}, Action.Acks.ALL, false, null, true);
  }

  /** Whether the second member only gets copies. */
  boolean isShadow() {
    return shadows != null;
  }
}
