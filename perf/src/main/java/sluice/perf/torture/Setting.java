package sluice.perf.torture;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import sluice.perf.torture.Options.Wrong;
import sluice.perf.torture.Rule.Kind;
import sluice.perf.torture.Sent.Write;

/**
 * Configuration of the gateway, and the destinations of keys under it. The rules are followed here
 * without the gateway's classes. Only the hash ring is the gateway's, which other tests compare
 * with twemproxy's.
 *
 * <p>A key's first letter determines its treatment ({@link Keys}). Keys of the steady servers
 * always stay there, under the same kind of rule. For the others the seed decides: by dialect, with
 * or without rewriting, to pools of one to three servers. TLS, the servers' dialect, other pools
 * and failover vary, too.
 */
final class Setting {
  static final int STALL_MILLIS = 500;

  /** How keys of a first letter are dealt with. */
  enum Keys {
    /** One pool of the steady servers, and nothing else. */
    PLAIN("s", true),
    /** The same, with a cache before it in most settings. */
    NEAR("n", true),
    /** The same, with longer values in chunks. */
    SPLIT("v", true),
    /** Each steady server a pool of its own; all must acknowledge. */
    REPLICATED("r", true),
    /** The steady servers, and copies to others. */
    SHADOWED("h", true),
    /** One pool of others, failover, health; a cache, a shadow or a limit. */
    MOVING("m", false),
    /** Several pools of others at once, or one filled from another. */
    MANY("q", false),
    /** One pool of others, failover, health, values in chunks. */
    MOVING_SPLIT("p", false);

    final String letter;

    /** Whether they are on servers that keep running, always the same. */
    final boolean steady;

    Keys(String letter, boolean steady) {
      this.letter = letter;
      this.steady = steady;
    }

    /** What a summary calls them. */
    String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** Those that this key is one of. */
    static Keys of(String key) {
      for (Keys keys : values()) {
        if (key.startsWith(keys.letter)) {
          return keys;
        }
      }
      throw new IllegalArgumentException("found the key " + key);
    }
  }

  private static final List<String> DIALECTS = List.of("text", "meta", "binary");

  /** What all clients can be understood in: meta asks for what the other dialects cannot tell. */
  private static final List<String> UNIVERSAL = List.of("same", "meta");

  /** What moving keys' first letter becomes; no longer, so that no key is too long. */
  private static final Map<Keys, List<String>> LETTERS =
      Map.of(
          Keys.MOVING, List.of("x", "y"),
          Keys.MANY, List.of("k", "l"),
          Keys.MOVING_SPLIT, List.of("t", "u"));

  private final int number;
  private final Random random;
  private final Servers servers;
  private final Options options;
  private final List<Rule> rules = new ArrayList<>();
  private int pools;

  /** The configuration of this number, made up by random. */
  Setting(int number, Random random, Servers servers, Options options) {
    this.number = number;
    this.random = random;
    this.servers = servers;
    this.options = options;
    rules.add(Rule.to(Keys.PLAIN.letter, steady("steady", List.of("same"))));
    rules.add(near());
    rules.add(Rule.to(Keys.SPLIT.letter, steady("chunks", UNIVERSAL)).split(random, 2));
    rules.add(replicated());
    rules.add(
        Rule.to(Keys.SHADOWED.letter, steady("lit", UNIVERSAL))
            .shadowed(random, moving(List.of("same", "text", "meta", "binary"))));
    for (Keys keys : List.of(Keys.MOVING, Keys.MANY, Keys.MOVING_SPLIT)) {
      moving(keys);
    }
  }

  private Pool steady(String name, List<String> dialects) {
    return Pool.steady(name, servers, List.of(0, 1), random, dialects, options.timeoutMillis());
  }

  private Rule near() {
    Rule rule = Rule.to(Keys.NEAR.letter, steady("near", UNIVERSAL));
    return random.nextInt(5) == 0 ? rule : rule.cached(random);
  }

  private Rule replicated() {
    List<String> dialect = List.of(UNIVERSAL.get(random.nextInt(UNIVERSAL.size())));
    List<Pool> each = new ArrayList<>();
    for (int server = 0; server < Servers.STEADY; server++) {
      each.add(
          Pool.steady(
              "replica" + server,
              servers,
              List.of(server),
              random,
              dialect,
              options.timeoutMillis()));
    }
    return replicas(Keys.REPLICATED.letter, null, each, null, "all");
  }

  private Rule replicas(
      String prefix,
      @Nullable String dialect,
      List<Pool> each,
      @Nullable String letter,
      String acknowledgements) {
    int needed =
        switch (acknowledgements) {
          case "all" -> each.size();
          case "majority" -> each.size() / 2 + 1;
          default -> 1;
        };
    String line =
        "replicate: {pools: %s, acks: %s, reads: %s}"
            .formatted(
                each.stream().map(Pool::name).toList(),
                acknowledgements,
                random.nextBoolean() ? "first" : "nearest");
    return new Rule(
        prefix, dialect, Kind.REPLICAS, each, letter, needed, 0, List.of(line), List.of());
  }

  private Pool moving(List<String> dialects) {
    String name = "p%d-%d".formatted(number, pools++);
    return Pool.moving(name, servers, random, dialects, options.timeoutMillis());
  }

  private void moving(Keys keys) {
    List<String> dialects = new ArrayList<>(DIALECTS);
    for (int i = random.nextInt(3); i > 0; i--) {
      rules.add(moving(keys, dialects.remove(random.nextInt(dialects.size()))));
    }
    rules.add(moving(keys, null));
  }

  private Rule moving(Keys keys, @Nullable String dialect) {
    List<String> spoken =
        "text".equals(dialect) || "binary".equals(dialect)
            ? List.of("same", "text", "meta", "binary")
            : UNIVERSAL;
    List<String> letters = Objects.requireNonNull(LETTERS.get(keys));
    String letter = random.nextBoolean() ? letters.get(random.nextInt(letters.size())) : null;
    if (keys == Keys.MANY && random.nextInt(3) == 0) {
      return new Rule(
          keys.letter,
          dialect,
          Kind.WARM_UP,
          List.of(moving(UNIVERSAL), moving(UNIVERSAL)),
          letter,
          1,
          0,
          List.of(),
          List.of());
    }
    if (keys == Keys.MANY) {
      List<String> one = List.of(spoken.get(random.nextInt(spoken.size())));
      List<Pool> each = new ArrayList<>();
      for (int i = 1 + random.nextInt(2); i >= 0; i--) {
        each.add(moving(one));
      }
      List<String> acknowledgements = List.of("all", "majority", "one");
      return replicas(keys.letter, dialect, each, letter, acknowledgements.get(random.nextInt(3)));
    }
    List<Pool> each = new ArrayList<>();
    for (int i = random.nextInt(2); i >= 0; i--) {
      each.add(moving(spoken));
    }
    Rule rule =
        new Rule(keys.letter, dialect, Kind.FAILOVER, each, letter, 1, 0, List.of(), List.of());
    if (keys == Keys.MOVING_SPLIT) {
      return rule.split(random, 24);
    }
    return switch (random.nextInt(8)) {
      case 0, 1 -> rule.cached(random);
      case 2, 3 -> rule.shadowed(random, moving(spoken));
      case 4 -> options.tolerant() ? rule.with("limit: {rate: 500, burst: 500}") : rule;
      default -> rule;
    };
  }

  /** Where a write of a client of this dialect has to go. */
  Destination destination(Write write, String dialect, String key) {
    return rule(dialect, key).destination(write, key);
  }

  private Rule rule(String dialect, String key) {
    return rules.stream()
        .filter(rule -> rule.takes(dialect, key))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no rule for " + key));
  }

  /** Where the pool's ring places a chunk of that name, of the value of a steady key. */
  Destination.Place chunk(String key, String name) {
    return new Destination.Place(rule("text", key).pools().get(0).servers(name).get(0), name);
  }

  /** All names that servers can know a key by, in any setting. */
  static List<String> names(String key) {
    List<String> names = new ArrayList<>(List.of(key));
    LETTERS
        .getOrDefault(Keys.of(key), List.of())
        .forEach(letter -> names.add(letter + key.substring(1)));
    return names;
  }

  /** The configuration file. */
  String yaml(int plainPort, int tlsPort, int adminPort) {
    StringBuilder yaml =
        new StringBuilder(
            """
            # number %d
            admin: {bind: 127.0.0.1:%d}
            process: {eventLoops: 2, drain: 5s, transport: %s}
            listeners:
              plain: {bind: 127.0.0.1:%d, route: all, allow: [], limits: {stall: %dms}}
              secure:
                bind: 127.0.0.1:%d
                route: all
                limits: {stall: %dms}
                tls: {certificate: gateway.crt, key: gateway.key}
            routes:
              all:
            """
                .formatted(
                    number,
                    adminPort,
                    options.transport().label(),
                    plainPort,
                    STALL_MILLIS,
                    tlsPort,
                    STALL_MILLIS));
    rules.forEach(rule -> yaml.append(written(rule)));
    yaml.append("pools:\n");
    Map<String, Pool> all = new LinkedHashMap<>();
    for (Rule rule : rules) {
      rule.pools().forEach(pool -> all.put(pool.name(), pool));
      rule.others().forEach(pool -> all.put(pool.name(), pool));
    }
    all.values().forEach(pool -> yaml.append(pool.yaml()));
    return yaml.toString();
  }

  /** The rule as it is meant, or as it is written if the gateway is to do it wrongly. */
  private String written(Rule rule) {
    if (rule.prefix().equals(Keys.REPLICATED.letter) && options.wrong().contains(Wrong.SINGLE)) {
      return Rule.to(rule.prefix(), rule.pools().get(0)).yaml();
    }
    if (rule.prefix().equals(Keys.SHADOWED.letter) && options.wrong().contains(Wrong.SHADOWED)) {
      String reads =
          "    - match: {prefix: %s, commands: [get, gets, mg]}%n      pool: %s%n"
              .formatted(rule.prefix(), rule.others().get(0).name());
      return reads + rule.yaml();
    }
    return rule.yaml();
  }
}
