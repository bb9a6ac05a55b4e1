package sluice.gateway.dispatch;

import sluice.gateway.route.Action;

/**
 * Several pools that a request goes to at once. Requests to them take the neutral form, each pool's
 * values being worked on for itself.
 *
 * @param members at least two, for a shadow the pool that answers and its shadow
 * @param acks how many of them a change needs; null for a shadow
 * @param nearest whether reads ask one alone, the one that has answered fastest of late
 * @param shadows what becomes of the copies; null if all members are as good
 * @param warms whether the second fills the first, which has the items
 */
public record Spread(
    Target[] members, Action.Acks acks, boolean nearest, Shadows shadows, boolean warms) {
  static Spread replicas(Target[] members, Action.Acks acks, boolean nearest) {
    return new Spread(members, acks, nearest, null, false);
  }

  static Spread shadow(Target answering, Target shadow, Shadows shadows) {
    return new Spread(new Target[] {answering, shadow}, null, false, shadows, false);
  }

  static Spread warming(Target cold, Target warm) {
    return new Spread(new Target[] {cold, warm}, Action.Acks.ALL, false, null, true);
  }

  /** Whether the second member only gets copies. */
  public boolean isShadow() {
    return shadows != null;
  }
}
