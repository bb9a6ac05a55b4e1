package sluice.config;

import java.nio.file.Path;
import java.util.List;

/** Files that are valid, for the tests that bend them. */
final class Samples {
  static final String SMALL =
      """
      listeners:
        cache: {bind: 127.0.0.1:0, route: cache}
      routes:
        cache: [{pool: cache}]
      pools:
        cache: {servers: [10.0.0.1:11211]}
      """;

  static final String FULL =
      """
      admin: {bind: "[::1]:9901", ready: routes}
      process: {eventLoops: 2, transport: nio, drain: 5s, memory: 64MiB}
      logs: {slow: {above: 25ms}, access: {sample: 5%}}
      listeners:
        cache:
          bind: 0.0.0.0:11211
          protocol: memcached
          dialects: [meta, text]
          route: cache
          limits: {connections: 20, inFlight: 16, itemSize: 2MiB, outBuffer: 64KiB, stall: 250ms, idle: 10m, maxAge: 1h}
          allow: [watch, shutdown]
        local: {bind: unix:/run/sluice/local.sock, route: local, allow: []}
      routes:
        cache:
          - match: {prefix: "session:", commands: [get, set], dialects: [text]}
            pool: sessions
            key: {strip: "session:", add: "v2:"}
          - match: {prefix: "admin:"}
            reject: not from here
          - pool: cache
        local:
          - pool: local
      pools:
        sessions: {servers: ["10.0.0.9:11211"]}
        cache:
          protocol: memcached
          dialect: same
          servers: [10.0.0.1:11211, "10.0.0.2:11211 weight=2", "[2001:db8::7]:11211", unix:/run/memcached.sock]
          hash: {function: murmur3, distribution: maglev, tag: "{}", slowStart: 30s}
          connections: {perEventLoop: 2, streams: 8, max: 0, connectTimeout: 2s, idle: 5m, probeAfter: 250ms}
          timeout: 300ms
          queueTimeout: 200ms
          multiGet: {onFailure: miss}
        local: {protocol: embedded, size: 32MiB}
      metrics:
        vertx: true
        otlp:
          url: http://collector:4318/v1/metrics
          interval: 30s
          timeout: 2s
          headers: {Api-Key: "${env:SLUICE_NO_SUCH_VARIABLE:-token}"}
          resource: {team: caches}
      """;

  static final String INTERNODE =
      """
      listeners:
        ring:
          bind: 0.0.0.0:7000
          protocol: internode
          node: "[2001:db8::7]:7000"
          peers: [10.2.0.0/15, 10.1.0.9, "[2001:db8::9]:7001"]
          strict: true
          route: ring
          limits: {connections: 20, messageSize: 16MiB, inFlightBytes: 1MiB, handshake: 2s, idle: 2h}
          proxyProtocol: {from: ["::1"]}
        plain: {bind: 127.0.0.13:7001, protocol: internode, route: plain}
      routes:
        ring:
          - match: {verbs: [TRUNCATE_REQ, TCM_COMMIT_REQ]}
            reject: not from here
          - pool: node2
            addresses:
              from: {10.1.0.5: 127.0.0.11, "10.1.0.6:7000": "127.0.0.12:7001"}
              to: {"2001:db8:0:0:0:0:0:7": 127.0.0.2}
        plain: [{pool: node3}]
      pools:
        node2: {protocol: internode, servers: [10.1.0.2:7000], framing: lz4, connections: {connectTimeout: 3s}}
        node3: {protocol: internode, servers: [10.1.0.3:7000]}
      """;

  /** Dialects, values and Ignite. */
  static final String BRIDGES =
      """
      listeners:
        cache: {bind: 127.0.0.1:0, route: cache}
        ignite: {bind: 127.0.0.1:11212, protocol: ignite, route: ignite, allow: [flush_all], limits: {itemSize: 2MiB, handshake: 3s}, proxyProtocol: {from: [10.0.0.0/8, 192.0.2.7, "2001:db8::/32", "::ffff:198.51.100.0/120"]}}
      routes:
        cache: [{match: {prefix: a}, pool: small}, {match: {prefix: b}, pool: plain}, {match: {prefix: c}, pool: node}, {pool: text}]
        ignite: [{match: {prefix: d}, pool: node}, {pool: small}]
      pools:
        small:
          servers: [10.0.0.1:11211]
          dialect: meta
          compression: {algorithm: lz4, above: 64B, keepIfUnder: 75%, flag: 0x80000000, alreadyCompressed: 0xA, onCorrupt: pass}
        plain:
          servers: [10.0.0.2:11211]
          dialect: binary
          compression: {}
          values: {replace: [{find: "http://old/", with: "https://new/"}, {find: old, with: ""}], plain: kafkaHeaders}
        text: {servers: [10.0.0.3:11211], dialect: text, values: {plain: kafkaTimestampedHeaders}}
        node: {protocol: ignite, servers: [10.0.0.4:11211], ignite: {cacheName: items, counters: atomic}}
        other: {protocol: ignite, servers: [10.0.0.5:11211]}
      """;

  /** Servers that are learned. */
  static final String DISCOVERED =
      """
      listeners:
        cache: {bind: 127.0.0.1:0, route: cache}
      routes:
        closed: [{match: {client: "spiffe://example/app", prefix: a}, pool: names}, {match: {client: ops}, pool: names}]
        cache: [{match: {prefix: a}, pool: names}, {match: {prefix: b}, pool: cluster}, {match: {prefix: c}, pool: nodes}, {pool: addresses}]
      pools:
        names: {discover: {srv: _memcached._tcp.cache.default.svc}}
        addresses: {discover: {dns: cache.example:11211, every: 2s, minimum: 3, nameServer: "[2001:db8::1]:8600"}}
        cluster: {discover: {elasticache: "[2001:db8::7]:11211", every: 1m}}
        nodes: {protocol: ignite, discover: {srv: _ignite._tcp.example., nameServer: 127.0.0.1}}
      """;

  static final List<String> VALID = List.of(SMALL, FULL, INTERNODE);

  /** What will be valid. */
  static final String ROUTING =
      """
      listeners: {a: {bind: 127.0.0.1:0, route: r}}
      routes:
        r:
          - match: {prefix: "a:"}
            pool: p
            failover: [q, e]
          - match: {prefix: "b:"}
            pool: p
            failover: {pools: [q], maxTtl: 10s}
            migrate: {to: q, percent: 30%}
            ttl: {min: 1s, max: 1h, jitter: 10%}
          - pool: p
            migrate: {to: e, from: 2030-01-31T12:00:00Z, until: "2030-02-01T12:00:00Z"}
        s:
          - match: {prefix: "c:"}
            replicate: {pools: [p, q], acks: majority, reads: nearest}
            ttl: {max: 1h}
          - pool: p
            shadow: {pool: q, percent: 10%}
        h:
          - match: {prefix: "d:"}
            pool: p
            hedge: {to: q, after: 5ms, budget: 2.5%}
          - pool: p
            hedge: {to: q}
        w: [{warmUp: {cold: p, warm: q}}]
        v: [{pool: p, split: {above: 64KiB, flag: 0x80000000}}]
        t: [{match: {token: Pblue}, pool: p, stripToken: true, limit: {rate: 100}, split: 900KiB}, {pool: q, limit: {rate: 50, burst: 7}, nearCache: {size: 4MiB, ttl: 250ms}}]
      pools:
        p: {servers: [h:1, h:2], health: {slow: 200ms, ejectFor: 2s..1m}, retries: {}}
        q: {servers: [h:3], health: {}, retries: {max: 3, budget: 5%}}
        e: {protocol: embedded}
      """;

  static final List<String> ALL = List.of(SMALL, FULL, INTERNODE, BRIDGES, ROUTING, DISCOVERED);

  private Samples() {}

  /** What a sample holds, available or not. */
  static LoadResult load(String sample) {
    return Loader.parse(Path.of(""), sample);
  }
}
