package sluice.gateway.torture;

import static sluice.gateway.torture.Scenario.pool;

import java.net.InetSocketAddress;

/** One rule of each kind in front of fresh servers: a scenario that clients meet in any state. */
enum KindOfRule {
  PLAIN("{pool: a}"),
  SEVERAL_SERVERS("{pool: both}"),
  REPLICATE("{replicate: {pools: [a, b]}}"),
  SHADOW("{pool: a, shadow: {pool: b, percent: 100%}}"),
  HEDGE("{pool: a, hedge: {to: twin, after: 1ms, budget: 100%}}"),
  WARM_UP("{warmUp: {cold: a, warm: b}}"),
  SPLIT("{pool: a, split: 1KiB}"),
  COMPRESSION("{pool: packed}"),
  BRIDGE("{pool: binary}"),
  KEY_REWRITE("{match: {prefix: k}, pool: a, key: {strip: k, add: \"other:\"}}, {pool: a}"),
  FAILOVER("{pool: a, failover: [b]}"),
  NEAR_CACHE("{pool: a, nearCache: {size: 16MiB, ttl: 10ms}}"),
  MIGRATE("{pool: a, migrate: {to: b, percent: 50%}}"),
  TIME_TO_LIVE("{pool: a, ttl: {max: 1h}}"),
  META("{pool: meta}"),
  EMBEDDED("{pool: local}");

  private static final String HASH = "hash: {function: fnv1a_64, distribution: ketama}";

  private final String rules;

  KindOfRule(String rules) {
    this.rules = rules;
  }

  /** A gateway with this rule on its route, before memcacheds that end with the scenario. */
  Scenario start() {
    Scenario scenario = new Scenario();
    try {
      InetSocketAddress a = scenario.memcached().address();
      InetSocketAddress b = scenario.memcached().address();
      return scenario.gateway(
          rules,
          pool("a", "", a),
          pool("b", "", b),
          pool("twin", "", a), // the same items, over connections of its own
          pool("both", HASH, a, b),
          pool("packed", "compression: {algorithm: zstd, above: 64B}", a),
          pool("binary", "dialect: binary", a),
          pool("meta", "dialect: meta", a),
          "local: {protocol: embedded, size: 256MiB}");
    } catch (RuntimeException | Error e) {
      scenario.close();
      throw e;
    }
  }
}
