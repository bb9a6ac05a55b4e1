package sluice.perf.torture;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import sluice.perf.torture.Destination.Place;
import sluice.perf.torture.Sent.Write;

/**
 * A rule of a {@link Setting}: some keys of some clients, and which pools they go to.
 *
 * @param prefix what the keys begin with
 * @param dialect of the clients; null for all
 * @param kind what the pools are to each other
 * @param pools in the order that the kind says
 * @param letter what the key's first letter becomes; null for keys that keep theirs
 * @param needed of the pools, which must acknowledge a change
 * @param ignoredFlags bits of the flags that the gateway sets
 * @param keys what else the configuration says in it
 * @param others pools that this names and whose answers no client gets
 */
record Rule(
    String prefix,
    @Nullable String dialect,
    Kind kind,
    List<Pool> pools,
    @Nullable String letter,
    int needed,
    int ignoredFlags,
    List<String> keys,
    List<Pool> others) {

  /** What marks values in chunks unless a rule says otherwise. */
  static final int SPLIT_FLAG = 0x20000;

  /** What several pools are to each other. */
  enum Kind {
    /** The first has the keys, the others are its failover. */
    FAILOVER,
    /** All have all keys. */
    REPLICAS,
    /** The first has the keys, the second those that it lacks. */
    WARM_UP
  }

  /** A rule for keys of that prefix that leads to one pool, and says nothing else. */
  static Rule to(String prefix, Pool pool) {
    return new Rule(prefix, null, Kind.FAILOVER, List.of(pool), null, 1, 0, List.of(), List.of());
  }

  /** The same rule with another line. */
  Rule with(String line) {
    List<String> more = new ArrayList<>(keys);
    more.add(line);
    return new Rule(
        prefix, dialect, kind, pools, letter, needed, ignoredFlags, List.copyOf(more), others);
  }

  /** The same rule with a cache inside the gateway. */
  Rule cached(Random random) {
    int millis = 20 + random.nextInt(random.nextBoolean() ? 300 : 5000);
    return with("nearCache: {size: 1MiB, ttl: %dms}".formatted(millis));
  }

  /** The same rule with values stored in chunks of this many KiB, or up to three times as many. */
  Rule split(Random random, int leastKiB) {
    Rule split = with("split: {above: %dKiB}".formatted(leastKiB + random.nextInt(2 * leastKiB)));
    return new Rule(prefix, dialect, kind, pools, letter, needed, SPLIT_FLAG, split.keys(), others);
  }

  /** The same rule, which sends copies of requests to another pool. */
  Rule shadowed(Random random, Pool by) {
    String line = "shadow: {pool: %s, percent: %d%%}".formatted(by.name(), 20 + random.nextInt(61));
    Rule more = with(line);
    return new Rule(
        prefix, dialect, kind, pools, letter, needed, ignoredFlags, more.keys(), List.of(by));
  }

  /** Whether it is for this key of a client of this dialect. */
  boolean takes(String client, String key) {
    return key.startsWith(prefix) && (dialect == null || dialect.equals(client));
  }

  /** Where a write has to go. */
  Destination destination(Write write, String key) {
    String renamed = letter == null ? key : letter + key.substring(1);
    List<List<Place>> places = new ArrayList<>();
    for (Pool pool : pools) {
      places.add(pool.servers(renamed).stream().map(s -> new Place(s, renamed)).toList());
    }
    return switch (kind) {
      case FAILOVER ->
          new Destination(List.of(places.stream().flatMap(List::stream).toList()), 1, ignoredFlags);
      case REPLICAS -> new Destination(places, needed, ignoredFlags);
      // What is written is written to the cold pool alone; what is deleted must not come back.
      case WARM_UP ->
          write == Write.DELETE
              ? new Destination(places, 2, ignoredFlags)
              : new Destination(places.subList(0, 1), 1, ignoredFlags);
    };
  }

  /** Its part of the configuration file. */
  String yaml() {
    StringBuilder yaml = new StringBuilder("    - match: {prefix: ").append(prefix);
    if (dialect != null) {
      yaml.append(", dialects: [").append(dialect).append(']');
    }
    yaml.append("}\n");
    List<String> names = pools.stream().map(Pool::name).toList();
    List<String> lines = new ArrayList<>();
    switch (kind) {
      case FAILOVER -> {
        lines.add("pool: " + names.get(0));
        if (names.size() > 1) {
          lines.add("failover: " + names.subList(1, names.size()));
        }
      }
      case REPLICAS -> {} // its line names them, with how many are needed
      case WARM_UP ->
          lines.add("warmUp: {cold: %s, warm: %s}".formatted(names.get(0), names.get(1)));
    }
    lines.addAll(keys);
    if (letter != null) {
      lines.add("key: {strip: %s, add: %s}".formatted(prefix, letter));
    }
    lines.forEach(line -> yaml.append("      ").append(line).append('\n'));
    return yaml.toString();
  }
}
