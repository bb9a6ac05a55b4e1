package sluice.perf.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import sluice.gateway.route.hash.Member;
import sluice.gateway.route.hash.Ring;

/**
 * One configuration of the gateway, and where it sends a key: the rules are followed here, not by
 * the gateway's classes; only the hash ring is its own, which other tests hold against twemproxy's.
 *
 * <p>Keys that begin with {@code s} stay on the steady servers whatever changes. Keys that begin
 * with {@code m} go where the seed says: by dialect, renamed or not, to pools of one to three
 * servers, over TLS or not, in their own dialect or another.
 */
final class Setting {
  static final int STALL_MILLIS = 500;
  static final String STEADY = "s";
  static final String MOVING = "m";

  private static final List<String> DIALECTS = List.of("text", "meta", "binary");
  private static final List<String> DISTRIBUTIONS =
      List.of("ketama", "jump", "rendezvous", "modula", "maglev");
  private static final List<String> FUNCTIONS = List.of("fnv1a_64", "md5", "crc32", "murmur3");

  /** What the moving keys' first letter becomes; no longer, so that no key is too long. */
  private static final List<String> LETTERS = List.of("n", "o");

  /** Servers that share keys; encrypted if they are spoken to in TLS. */
  private record Pool(
      String name,
      List<Integer> servers,
      boolean encrypted,
      String dialect,
      String function,
      String distribution,
      int timeoutMillis,
      int connections,
      Ring ring) {}

  /** A rule for moving keys; dialect null for all, letter null for keys that keep theirs. */
  private record Rule(String dialect, Pool pool, String letter) {}

  /** Where a key is. */
  record Place(int server, String key) {}

  private final int number;
  private final Servers servers;
  private final Pool steady;
  private final List<Rule> rules = new ArrayList<>();

  /** The configuration of this number, made up by random. */
  Setting(int number, Random random, Servers servers, int timeoutMillis) {
    this.number = number;
    this.servers = servers;
    steady =
        pool(
            "steady",
            List.of(0, 1),
            false,
            "same",
            "fnv1a_64",
            "ketama",
            timeout(random, timeoutMillis),
            1 + random.nextInt(2));
    List<String> dialects = new ArrayList<>(DIALECTS);
    for (int i = random.nextInt(3); i > 0; i--) {
      String dialect = dialects.remove(random.nextInt(dialects.size()));
      rules.add(rule(random, dialect, timeoutMillis));
    }
    rules.add(rule(random, null, timeoutMillis));
  }

  private static int timeout(Random random, int most) {
    return most - random.nextInt(most / 3);
  }

  private Rule rule(Random random, String dialect, int timeoutMillis) {
    Set<Integer> chosen = new TreeSet<>();
    for (int i = random.nextInt(Servers.MOVING); i >= 0; i--) {
      chosen.add(Servers.STEADY + random.nextInt(Servers.MOVING));
    }
    // Meta clients ask for what the other dialects cannot tell.
    List<String> spoken =
        "text".equals(dialect) || "binary".equals(dialect)
            ? List.of("same", "text", "meta", "binary")
            : List.of("same", "meta");
    Pool pool =
        pool(
            "p" + number + "-" + rules.size(),
            List.copyOf(chosen),
            random.nextInt(3) == 0,
            spoken.get(random.nextInt(spoken.size())),
            FUNCTIONS.get(random.nextInt(FUNCTIONS.size())),
            DISTRIBUTIONS.get(random.nextInt(DISTRIBUTIONS.size())),
            timeout(random, timeoutMillis),
            1 + random.nextInt(2));
    String letter = random.nextBoolean() ? LETTERS.get(random.nextInt(LETTERS.size())) : null;
    return new Rule(dialect, pool, letter);
  }

  private Pool pool(
      String name,
      List<Integer> members,
      boolean encrypted,
      String dialect,
      String function,
      String distribution,
      int timeoutMillis,
      int connections) {
    Ring ring =
        Ring.of(
            function,
            distribution,
            "",
            members.stream()
                .map(
                    server ->
                        new Member(
                            servers.name(server, encrypted),
                            "127.0.0.1",
                            servers.get(server).port(encrypted),
                            1))
                .toList());
    return new Pool(
        name,
        members,
        encrypted,
        dialect,
        function,
        distribution,
        timeoutMillis,
        connections,
        ring);
  }

  /** The server of a key of a client of this dialect, and the key's name there. */
  Place place(String dialect, String key) {
    if (key.startsWith(STEADY)) {
      return place(steady, key);
    }
    for (Rule rule : rules) {
      if (rule.dialect() == null || rule.dialect().equals(dialect)) {
        return place(rule.pool(), rule.letter() == null ? key : rule.letter() + key.substring(1));
      }
    }
    throw new IllegalStateException("no rule for " + key);
  }

  private static Place place(Pool pool, String key) {
    ByteBuf bytes = Unpooled.wrappedBuffer(key.getBytes(ISO_8859_1));
    int index = pool.ring().serverOf(bytes, 0, bytes.readableBytes());
    return new Place(pool.servers().get(index), key);
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
      yaml.append("}\n      pool: ").append(rule.pool().name()).append('\n');
      if (rule.letter() != null) {
        yaml.append("      key: {strip: %s, add: %s}%n".formatted(MOVING, rule.letter()));
      }
    }
    yaml.append("    - pool: steady\npools:\n");
    append(yaml, steady);
    rules.forEach(rule -> append(yaml, rule.pool()));
    return yaml.toString();
  }

  private void append(StringBuilder yaml, Pool pool) {
    yaml.append("  ").append(pool.name()).append(":\n    servers: [");
    for (int i = 0; i < pool.servers().size(); i++) {
      yaml.append(i == 0 ? "\"" : ", \"")
          .append(servers.name(pool.servers().get(i), pool.encrypted()))
          .append('"');
    }
    yaml.append("]\n");
    yaml.append(
        """
            dialect: %s
            hash: {function: %s, distribution: %s}
            timeout: %dms
            connections: {perEventLoop: %d, probeAfter: 100ms, connectTimeout: %dms}
        """
            .formatted(
                pool.dialect(),
                pool.function(),
                pool.distribution(),
                pool.timeoutMillis(),
                pool.connections(),
                Math.max(1000, pool.timeoutMillis())));
    if (pool.encrypted()) {
      yaml.append("    tls: {ca: ca.crt, certificate: gateway.crt, key: gateway.key}\n");
    }
  }
}
