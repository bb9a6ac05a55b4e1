package sluice.gateway.neighbours;

import java.util.List;
import java.util.Objects;

/**
 * Kind of rule that hostile clients go by. The pools are called a and b; what clients may touch
 * begins with {@value #MINE} as clients write it.
 *
 * @param name for reports
 * @param rules YAML of the rules that hostile clients have
 * @param pool YAML of further settings of pool a and b, from a comma on
 * @param servers of pool a
 * @param second whether there is a pool b, of one server
 * @param loops event loops
 * @param owned regular expression of the keys that hostile clients may have on servers; null for
 *     any
 */
record Kind(
    String name, String rules, String pool, int servers, boolean second, int loops, String owned) {
  /** What the keys of hostile clients begin with. */
  static final String MINE = "atk:";

  private static final String MATCHING = "(?s)" + MINE + ".*";
  private static final String REJECT = ", {reject: \"not yours\"}";
  private static final String GATE = "match: {prefix: \"" + MINE + "\"}, ";

  /** Anybody may touch any key: the default configuration. */
  static final Kind PLAIN = new Kind("plain", "{pool: a}", "", 1, false, 1, null);

  private static Kind gated(String name, String rule) {
    return new Kind(name, "{" + GATE + rule + "}" + REJECT, "", 1, false, 1, MATCHING);
  }

  private Kind pool(String more) {
    return new Kind(name, rules, ", " + more, servers, second, loops, owned);
  }

  private Kind servers(int count) {
    return new Kind(name, rules, pool, count, second, loops, owned);
  }

  private Kind two() {
    return new Kind(name, rules, pool, servers, true, loops, owned);
  }

  private Kind loops(int count) {
    return new Kind(name, rules, pool, servers, second, count, owned);
  }

  private Kind owned(String prefix) {
    return new Kind(name, rules, pool, servers, second, loops, prefix);
  }

  /** Whether servers of that version may be behind it. */
  boolean isFor(ServerKind version) {
    return (version.knowsMeta() || !pool.contains("dialect: meta"))
        && (version.knowsBinary() || !pool.contains("dialect: binary"));
  }

  /** Every kind of rule and pool that requests are read or written anew for. */
  static List<Kind> all() {
    return List.of(
        PLAIN,
        new Kind("two servers", "{pool: a}", "", 2, false, 1, null),
        gated("match and reject", "pool: a"),
        new Kind("no rule for others", "{" + GATE + "pool: a}", "", 1, false, 1, MATCHING),
        gated("key strip", "pool: a, key: {strip: \"atk:\"}").owned("(?s).*"),
        gated("key strip and add", "pool: a, key: {strip: \"atk:\", add: \"own:\"}")
            .owned("(?s)own:.*"),
        gated("key add", "pool: a, key: {add: \"" + "long:".repeat(12) + "\"}")
            .owned("(?s)long:.*"),
        gated("replicate", "replicate: {pools: [a, b]}").two(),
        gated("replicate nearest", "replicate: {pools: [a, b], reads: nearest}").two(),
        gated("shadow", "pool: a, shadow: {pool: b}").two(),
        gated("hedge", "pool: a, hedge: {to: b, after: 1ms, budget: 100%}").two(),
        gated("warmUp", "warmUp: {cold: a, warm: b}").two(),
        gated("migrate", "pool: a, migrate: {to: b, percent: 50%}").two(),
        gated("failover", "pool: a, failover: {pools: [b], maxTtl: 10s}").two(),
        gated("nearCache", "pool: a, nearCache: {size: 1MiB, ttl: 1h}"),
        gated("split", "pool: a, split: 1KiB").servers(2).owned("(?s)atk:.*|[0-9a-f]+:split:.*"),
        gated("ttl", "pool: a, ttl: {max: 24h, jitter: 10%}"),
        gated("limit", "pool: a, limit: {rate: 1000000, burst: 1000}"),
        gated("compression", "pool: a").pool("compression: {algorithm: zstd, above: 64B}"),
        gated("values", "pool: a").pool("values: {replace: [{find: \"flush\", with: \"flash\"}]}"),
        gated("to text", "pool: a").pool("dialect: text"),
        gated("to meta", "pool: a").pool("dialect: meta"),
        gated("to binary", "pool: a").pool("dialect: binary"),
        gated("to meta, key add", "pool: a, key: {add: \"" + "long:".repeat(12) + "\"}")
            .pool("dialect: meta")
            .owned("(?s)long:.*"),
        gated("to binary, key strip", "pool: a, key: {strip: \"atk:\"}")
            .pool("dialect: binary")
            .owned("(?s).*"),
        gated("to text, key strip", "pool: a, key: {strip: \"atk:\"}")
            .pool("dialect: text")
            .owned("(?s).*"),
        gated("shared connections", "pool: a").pool("connections: {max: 1}").loops(2),
        gated("shared connections to meta", "pool: a")
            .pool("dialect: meta, connections: {max: 1}")
            .loops(2));
  }

  /**
   * YAML of a gateway with a listener {@code attack} for hostile clients and {@code cache} for
   * their neighbours, of whose keys those that begin with {@code nb:b} are in pool b.
   *
   * @param ports of pool a's servers, then of pool b's
   */
  String yaml(List<Integer> ports, String timeout) {
    StringBuilder pools = new StringBuilder();
    pools.append(pool("a", ports.subList(0, servers), timeout));
    if (second) {
      pools.append(pool("b", ports.subList(servers, ports.size()), timeout));
    }
    String connections = pool.contains("connections:") ? "" : ", connections: {perEventLoop: 1}";
    return """
    admin: {bind: 127.0.0.1:0}
    process: {eventLoops: %d}
    listeners:
      attack: {bind: 127.0.0.1:0, route: attack, allow: [], limits: {itemSize: 4KiB}}
      cache: {bind: 127.0.0.1:0, route: cache}
    routes:
      attack: [%s]
      cache: [%s{pool: a}]
    pools:
    %s\
    """
        .formatted(
            loops,
            rules,
            second ? "{match: {prefix: \"nb:b\"}, pool: b}, " : "",
            pools.toString().replace("@", connections));
  }

  private String pool(String called, List<Integer> ports, String timeout) {
    StringBuilder list = new StringBuilder();
    for (int port : ports) {
      list.append(list.isEmpty() ? "" : ", ").append("\"127.0.0.1:").append(port).append('"');
    }
    return "  " + called + ": {servers: [" + list + "], timeout: " + timeout + "@" + pool + "}\n";
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Kind that && name.equals(that.name);
  }

  @Override
  public int hashCode() {
    return Objects.hashCode(name);
  }

  @Override
  public String toString() {
    return name;
  }
}
