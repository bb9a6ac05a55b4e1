package sluice.perf.torture;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One configuration of the gateway, and where it sends a key: the rules are followed here, not by
 * the gateway's classes; only the hash ring is its own, which other tests hold against twemproxy's.
 *
 * <p>Keys that begin with {@code s} stay on the steady servers whatever changes. Keys that begin
 * with {@code m} go where the seed says: by dialect, renamed or not, to pools of one to three
 * servers, over TLS or not, in their own dialect or another, to another pool or another server
 * while theirs is down or not.
 */
final class Setting {
  static final int STALL_MILLIS = 500;
  static final String STEADY = "s";
  static final String MOVING = "m";

  private static final List<String> DIALECTS = List.of("text", "meta", "binary");

  /** What the moving keys' first letter becomes; no longer, so that no key is too long. */
  private static final List<String> LETTERS = List.of("n", "o");

  /**
   * A rule for moving keys; dialect null for all, letter null for keys that keep theirs. The first
   * pool is the rule's own, another one its failover.
   */
  private record Rule(String dialect, List<Pool> pools, String letter) {}

  /** Where a key is. */
  record Place(int server, String key) {}

  private final int number;
  private final Pool steady;
  private final List<Rule> rules = new ArrayList<>();

  /** The configuration of this number, made up by random. */
  Setting(int number, Random random, Servers servers, int timeoutMillis) {
    this.number = number;
    steady = Pool.steady(servers, random, timeoutMillis);
    List<String> dialects = new ArrayList<>(DIALECTS);
    for (int i = random.nextInt(3); i > 0; i--) {
      String dialect = dialects.remove(random.nextInt(dialects.size()));
      rules.add(rule(random, servers, dialect, timeoutMillis));
    }
    rules.add(rule(random, servers, null, timeoutMillis));
  }

  private Rule rule(Random random, Servers servers, String dialect, int timeoutMillis) {
    // Meta clients ask for what the other dialects cannot tell.
    List<String> spoken =
        "text".equals(dialect) || "binary".equals(dialect)
            ? List.of("same", "text", "meta", "binary")
            : List.of("same", "meta");
    List<Pool> pools = new ArrayList<>();
    for (int i = random.nextInt(2); i >= 0; i--) {
      String name = "p%d-%d-%d".formatted(number, rules.size(), pools.size());
      pools.add(Pool.moving(name, servers, random, spoken, timeoutMillis));
    }
    String letter = random.nextBoolean() ? LETTERS.get(random.nextInt(LETTERS.size())) : null;
    return new Rule(dialect, pools, letter);
  }

  /** Where a key of a client of this dialect can be, all servers being well: first. */
  List<Place> places(String dialect, String key) {
    if (key.startsWith(STEADY)) {
      return places(List.of(steady), key);
    }
    for (Rule rule : rules) {
      if (rule.dialect() == null || rule.dialect().equals(dialect)) {
        return places(rule.pools(), rule.letter() == null ? key : rule.letter() + key.substring(1));
      }
    }
    throw new IllegalStateException("no rule for " + key);
  }

  private static List<Place> places(List<Pool> pools, String key) {
    List<Place> places = new ArrayList<>(1);
    for (Pool pool : pools) {
      pool.servers(key).forEach(server -> places.add(new Place(server, key)));
    }
    return places;
  }

  /** All names that servers can know a key by, in any setting. */
  static List<String> names(String key) {
    if (key.startsWith(STEADY)) {
      return List.of(key);
    }
    List<String> names = new ArrayList<>(List.of(key));
    LETTERS.forEach(letter -> names.add(letter + key.substring(1)));
    return names;
  }

  /** The configuration file. */
  String yaml(int plainPort, int tlsPort, int adminPort) {
    StringBuilder yaml =
        new StringBuilder(
            """
            # number %d
            admin: {bind: 127.0.0.1:%d}
            process: {eventLoops: 2, drain: 5s}
            listeners:
              plain: {bind: 127.0.0.1:%d, route: all, limits: {stall: %dms}}
              secure:
                bind: 127.0.0.1:%d
                route: all
                limits: {stall: %dms}
                tls: {certificate: gateway.crt, key: gateway.key}
            routes:
              all:
            """
                .formatted(number, adminPort, plainPort, STALL_MILLIS, tlsPort, STALL_MILLIS));
    for (Rule rule : rules) {
      yaml.append("    - match: {prefix: ").append(MOVING);
      if (rule.dialect() != null) {
        yaml.append(", dialects: [").append(rule.dialect()).append(']');
      }
      yaml.append("}\n      pool: ").append(rule.pools().get(0).name()).append('\n');
      if (rule.pools().size() > 1) {
        yaml.append("      failover: [").append(rule.pools().get(1).name()).append("]\n");
      }
      if (rule.letter() != null) {
        yaml.append("      key: {strip: %s, add: %s}%n".formatted(MOVING, rule.letter()));
      }
    }
    yaml.append("    - pool: steady\npools:\n").append(steady.yaml());
    rules.forEach(rule -> rule.pools().forEach(pool -> yaml.append(pool.yaml())));
    return yaml.toString();
  }
}
