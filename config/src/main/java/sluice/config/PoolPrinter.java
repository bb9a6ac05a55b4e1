package sluice.config;

import static sluice.config.Notation.duration;
import static sluice.config.Notation.durationOrNever;
import static sluice.config.Notation.fields;
import static sluice.config.Notation.size;

import java.util.LinkedHashMap;
import java.util.Map;
import sluice.config.model.CompressionConfig;
import sluice.config.model.DiscoverConfig;
import sluice.config.model.HealthConfig;
import sluice.config.model.IgniteConfig;
import sluice.config.model.PoolAuthConfig;
import sluice.config.model.PoolConfig;
import sluice.config.model.PoolProtocol;
import sluice.config.model.PoolTlsConfig;
import sluice.config.model.ServerConfig;
import sluice.config.model.ValuesConfig;

/** A pool, every default filled in. */
final class PoolPrinter {
  private PoolPrinter() {}

  static Map<String, Object> pool(PoolConfig pool) {
    Map<String, Object> fields = always(pool);
    pool.compression().ifPresent(c -> fields.put("compression", compression(c)));
    pool.values().ifPresent(v -> fields.put("values", values(v)));
    pool.health().ifPresent(h -> fields.put("health", health(h)));
    pool.retries()
        .ifPresent(
            r -> fields.put("retries", fields("max", r.max(), "budget", r.budgetPercent() + "%")));
    pool.tls().ifPresent(tls -> fields.put("tls", tls(tls)));
    pool.auth().ifPresent(auth -> fields.put("auth", auth(auth)));
    pool.ignite().ifPresent(ignite -> fields.put("ignite", ignite(ignite)));
    return fields;
  }

  private static Map<String, Object> tls(PoolTlsConfig tls) {
    Map<String, Object> fields = new LinkedHashMap<>();
    tls.ca().ifPresent(ca -> fields.put("ca", ca.file()));
    tls.identity().ifPresent(identity -> fields.putAll(Notation.identity(identity)));
    tls.serverName().ifPresent(name -> fields.put("serverName", name));
    return fields;
  }

  private static Map<String, Object> discover(DiscoverConfig discover) {
    Map<String, Object> fields =
        fields(
            discover.source().label(),
            discover.name(),
            "every",
            duration(discover.everyMillis()),
            "minimum",
            discover.minimum());
    discover.nameServer().ifPresent(server -> fields.put("nameServer", server.label()));
    return fields;
  }

  private static Map<String, Object> compression(CompressionConfig compression) {
    return fields(
        "algorithm", compression.algorithm().label(),
        "above", size(compression.aboveBytes()),
        "keepIfUnder", compression.keepIfUnderPercent() + "%",
        "flag", Integer.toUnsignedLong(compression.flag()),
        "alreadyCompressed", Integer.toUnsignedLong(compression.alreadyCompressed()),
        "onCorrupt", compression.onCorrupt().label());
  }

  private static Map<String, Object> health(HealthConfig health) {
    return fields(
        "failures", health.failures(),
        "slow", durationOrNever(health.slowMillis()),
        "probe", duration(health.probeMillis()),
        "ejectFor",
            duration(health.ejectFor().leastMillis())
                + ".."
                + duration(health.ejectFor().mostMillis()),
        "maxEjected", health.maxEjectedPercent() + "%",
        "rehash", health.rehash());
  }

  private static Map<String, Object> values(ValuesConfig values) {
    Map<String, Object> fields = new LinkedHashMap<>();
    if (!values.replace().isEmpty()) {
      fields.put(
          "replace",
          values.replace().stream().map(r -> fields("find", r.find(), "with", r.with())).toList());
    }
    values.plain().ifPresent(plain -> fields.put("plain", plain.label()));
    return fields;
  }

  /** The file, never what it holds. */
  private static Map<String, Object> auth(PoolAuthConfig auth) {
    return fields("user", auth.login().user(), "passwordFile", auth.passwordFile());
  }

  private static Map<String, Object> ignite(IgniteConfig ignite) {
    return fields("cacheName", ignite.cacheName(), "counters", ignite.counters().label());
  }

  private static Map<String, Object> always(PoolConfig pool) {
    if (pool.protocol() == PoolProtocol.EMBEDDED) {
      return fields("protocol", pool.protocol().label(), "size", size(pool.sizeBytes()));
    }
    if (pool.protocol() == PoolProtocol.INTERNODE) {
      return fields(
          "protocol", pool.protocol().label(),
          "servers", pool.servers().stream().map(ServerConfig::label).toList(),
          "framing", pool.framing().label(),
          "connections",
              fields("connectTimeout", duration(pool.connections().connectTimeoutMillis())));
    }
    Map<String, Object> hash =
        fields(
            "function", pool.hash().function().label(),
            "distribution", pool.hash().distribution().label());
    pool.hash().tag().ifPresent(t -> hash.put("tag", t));
    hash.put("slowStart", duration(pool.hash().slowStartMillis()));
    Map<String, Object> fields = fields("protocol", pool.protocol().label());
    if (pool.protocol() == PoolProtocol.MEMCACHED) {
      fields.put("dialect", pool.dialect().label());
    }
    if (pool.discover().isPresent()) {
      fields.put("discover", discover(pool.discover().get()));
    } else {
      fields.put("servers", pool.servers().stream().map(ServerConfig::label).toList());
    }
    fields.putAll(
        fields(
            "hash", hash,
            "connections",
                fields(
                    "perEventLoop", pool.connections().perEventLoop(),
                    "streams", pool.connections().streams(),
                    "max", pool.connections().max(),
                    "connectTimeout", duration(pool.connections().connectTimeoutMillis()),
                    "idle", durationOrNever(pool.connections().idleMillis()),
                    "probeAfter", duration(pool.connections().probeAfterMillis())),
            "timeout", duration(pool.timeoutMillis()),
            "queueTimeout", duration(pool.queueTimeoutMillis()),
            "multiGet", fields("onFailure", pool.onFailure().label())));
    return fields;
  }
}
