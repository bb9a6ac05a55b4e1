package sluice.perf.simulation;

import java.util.List;
import java.util.random.RandomGenerator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import sluice.perf.simulation.history.Promise;

/** Rule of the route, which a prefix of keys selects. */
enum Rule {
  /** The pool alone. */
  PLAIN(""),
  /** A near cache in front of the pool. */
  NEAR("n:", "pool: cache", "nearCache: {size: %dMiB, ttl: 5s}"),
  /** Large values in chunks. */
  SPLIT("s:", "pool: cache", "split: 2KiB"),
  /** Values are compressed. */
  PACKED("z:", "pool: packed"),
  /** Two pools have every item. */
  REPLICATED("r:", "replicate: {pools: [cache, west], acks: all}"),
  /** Another pool takes over. */
  FAILOVER("f:", "pool: cache", "failover: [west]"),
  /** Another pool gets copies. */
  SHADOWED("w:", "pool: cache", "shadow: {pool: west, percent: 100%}"),
  /** A pool of Ignite nodes. */
  IGNITE("g:", "pool: items"),
  /** Two pools have every item, and slow reads are also sent to the second one. */
  HEDGED("h:", "replicate: {pools: [cache, west], acks: all}"),
  /** Servers know the keys by other names. */
  RENAMED("k:", "pool: cache", "key: {strip: \"k:\", add: \"kk:\"}"),
  /** Times to live are bounded. */
  TTL("t:", "pool: cache", "ttl: {min: 1d, max: 20d, jitter: 10%}"),
  /** A store inside the gateway. */
  EMBEDDED("m:", "pool: memory"),
  /** Servers that fail are ejected. */
  EJECTING("x:", "pool: detour"),
  /** A cold pool, which is filled from a warm one. */
  WARMED("u:", "warmUp: {cold: cache, warm: west}"),
  /** Half of the keys are in another pool. */
  MIGRATED("y:", "pool: cache", "migrate: {to: west, percent: 50%}");

  /** What leads to the warm pool alone, in front of a key. */
  static final String TO_WARM = "v:";

  private static final String HEDGE = "hedge: {to: west, after: 20ms, budget: 100%}";
  private static final long DAY = 24 * 60 * 60;

  private static final Pattern CACHE = Pattern.compile("nearCache: [{][^}]*[}]");

  private final String prefix;
  private final String settings; // lines

  Rule(String prefix, String... settings) {
    this.prefix = prefix;
    this.settings = String.join("\n      ", settings);
  }

  /** What its keys begin with. */
  String prefix() {
    return prefix;
  }

  /**
   * Its part of a route; nothing for the rule of all other keys.
   *
   * @param random chooses what a reload may change: a near cache of another size is a new one
   */
  String yaml(RandomGenerator random) {
    return switch (this) {
      case PLAIN -> "";
      case NEAR -> yaml("", settings.formatted(random.nextInt(1, 3)));
      case HEDGED ->
          yaml(", commands: [get, mg]", "pool: cache\n      " + HEDGE) + yaml("", settings);
      case WARMED ->
          "    - {match: {prefix: \"v:\"}, pool: west, key: {strip: \"v:\"}}\n"
              + yaml("", settings);
      default -> yaml("", settings);
    };
  }

  /** Whether two configurations of a gateway have the same near caches. */
  static boolean haveSameCaches(String yaml, String other) {
    return caches(yaml).equals(caches(other));
  }

  private static List<String> caches(String yaml) {
    return CACHE.matcher(yaml).results().map(MatchResult::group).toList();
  }

  private String yaml(String selects, String lines) {
    return "    - match: {prefix: \"" + prefix + "\"" + selects + "}\n      " + lines + "\n";
  }

  /** Whether a simulation with several rules may be without this one. */
  boolean isOptional() {
    return compareTo(IGNITE) > 0;
  }

  /** The name by which servers know a key. */
  String stored(String key) {
    return this == RENAMED ? "kk:" + key.substring(prefix.length()) : key;
  }

  /** Whether servers of two pools may carry out a write. */
  boolean hasTwoPools() {
    return switch (this) {
      case REPLICATED, FAILOVER, SHADOWED, HEDGED, WARMED -> true;
      default -> false;
    };
  }

  /** Whether servers of their own report writes of its items. */
  boolean hasJournal() {
    return this != IGNITE && this != EMBEDDED;
  }

  /** Whether a fault moves its items to another server. */
  boolean isMovable() {
    return this == FAILOVER || this == EJECTING;
  }

  /** Whether clients of two gateways may find different items. */
  boolean isOfOneGateway() {
    return this == NEAR || this == EMBEDDED;
  }

  /** Whether its servers know all commands. Ignite has no cas, no touch, and counts no items. */
  boolean takesAll() {
    return this != IGNITE;
  }

  /** Whether a change can depend on whether there is an item, while others change it. */
  boolean decidesAlone() {
    return promise() != Promise.ANSWERED;
  }

  /** Whether a change at the same time can make a read miss. */
  boolean mayMiss() {
    return this == SPLIT;
  }

  /** Whether a read may be carried out again, behind changes that its client sent after it. */
  boolean mayReadLater() {
    return this == HEDGED;
  }

  /** The shortest time to live, in seconds, that servers may be told for one that is for ever. */
  long leastTimeToLive() {
    return this == TTL ? 18 * DAY : 0;
  }

  /** The longest one. */
  long mostTimeToLive() {
    return this == TTL ? 20 * DAY : 0;
  }

  /** What clients that use the same key may rely on. */
  Promise promise() {
    return switch (this) {
      case NEAR -> Promise.ORDER_UNLESS_FAILED;
      case REPLICATED, HEDGED -> Promise.ANSWERED;
      default -> Promise.ORDER;
    };
  }
}
