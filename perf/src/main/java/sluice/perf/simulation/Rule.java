package sluice.perf.simulation;

import sluice.perf.simulation.history.Promise;

/** Rule of the route, which a prefix of keys selects. */
enum Rule {
  /** The pool alone. */
  PLAIN(""),
  /** A near cache in front of the pool. */
  NEAR("n:"),
  /** Large values in chunks. */
  SPLIT("s:"),
  /** Values are compressed. */
  PACKED("z:"),
  /** Two pools have every item. */
  REPLICATED("r:"),
  /** Another pool takes over. */
  FAILOVER("f:"),
  /** Another pool gets copies. */
  SHADOWED("w:"),
  /** A pool of Ignite nodes. */
  IGNITE("g:");

  private final String prefix;

  Rule(String prefix) {
    this.prefix = prefix;
  }

  /** What its keys begin with. */
  String prefix() {
    return prefix;
  }

  /** Whether servers of two pools may carry out a write. */
  boolean hasTwoPools() {
    return this == REPLICATED || this == FAILOVER || this == SHADOWED;
  }

  /** Whether a fault moves its items to another server. */
  boolean isMovable() {
    return this == FAILOVER;
  }

  /** Whether clients of two gateways may find different items. */
  boolean isOfOneGateway() {
    return this == NEAR;
  }

  /** Whether its servers know all commands. Ignite has no cas and cannot touch, append or count. */
  boolean takesAll() {
    return this != IGNITE;
  }

  /** Whether a change can depend on whether there is an item, while others change it. */
  boolean decidesAlone() {
    return this != REPLICATED;
  }

  /** Whether a change at the same time can make a read miss. */
  boolean mayMiss() {
    return this == SPLIT;
  }

  /** What clients that use the same key may rely on. */
  Promise promise() {
    return switch (this) {
      case NEAR -> Promise.ORDER_UNLESS_FAILED;
      case REPLICATED -> Promise.ANSWERED;
      default -> Promise.ORDER;
    };
  }
}
