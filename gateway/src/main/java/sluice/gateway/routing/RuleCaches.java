package sluice.gateway.routing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import sluice.config.model.CompressionConfig;
import sluice.config.model.Configuration;
import sluice.config.model.DictionaryFile;
import sluice.config.model.HashConfig;
import sluice.config.model.MatchConfig;
import sluice.config.model.MigrateConfig;
import sluice.config.model.NearCacheConfig;
import sluice.config.model.OnCorrupt;
import sluice.config.model.PoolConfig;
import sluice.config.model.PoolProtocol;
import sluice.config.model.RouteConfig;
import sluice.config.model.RuleConfig;
import sluice.config.model.ServerConfig;
import sluice.config.model.ValuesConfig;
import sluice.gateway.near.NearCache;
import sluice.gateway.near.NearCaches;
import sluice.gateway.net.Sockets;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.time.Clocks;

/**
 * Near caches of a configuration's rules. A rule with the same settings in the next configuration
 * keeps its cache, as long as its keys stay on their servers. Otherwise a client that still uses
 * the earlier configuration could read a key from its old server, and cache the value behind a
 * change on the new one. A cache has values in the form that clients get, so it is not kept either
 * if that form changes.
 */
public final class RuleCaches {
  private record Key(
      String route,
      MatchConfig match,
      List<Source> pools,
      Optional<MigrateConfig> moves,
      NearCacheConfig config) {}

  /**
   * What determines the server of a key in one pool, and how its value is changed on the way.
   *
   * @param mark of values that are decompressed: without one, they are cached as stored
   * @param passing the dictionaries, if values that need another one are cached as stored
   */
  private record Source(
      String pool,
      List<ServerConfig> servers,
      HashConfig hash,
      Optional<ValuesConfig> values,
      Optional<Integer> mark,
      Optional<List<DictionaryFile>> passing) {
    static Source of(PoolConfig pool) {
      return new Source(
          pool.name(),
          pool.servers(),
          pool.hash(),
          pool.values(),
          pool.compression().map(CompressionConfig::flag),
          pool.compression()
              .filter(compression -> compression.onCorrupt() == OnCorrupt.PASS)
              .map(CompressionConfig::dictionaries));
    }
  }

  private final NearCaches all;
  private final long longestNanos; // the longest time that a request is in flight
  private final long settledFrom; // requests of earlier configurations are not in flight any more
  private final Map<Key, NearCache> caches = new HashMap<>();
  private final Map<NearCache, Set<String>> pools = new HashMap<>();
  private final Map<String, List<NearCache>> byRoute = new HashMap<>();

  /** The caches of a configuration; before may be null. */
  RuleCaches(Configuration configuration, @Nullable RuleCaches before) {
    all = before == null ? new NearCaches() : before.all;
    longestNanos = longestNanos(configuration);
    settledFrom = settledFrom(before);
    for (RouteConfig route : configuration.routes().values()) {
      List<NearCache> ofRules = new ArrayList<>();
      for (RuleConfig rule : route.rules()) {
        NearCache cache =
            rule.nearCache()
                .map(near -> cache(configuration, route, rule, near, before))
                .orElse(null);
        if (cache != null) {
          pools.put(cache, sharing(configuration, rule.pools()));
        }
        ofRules.add(cache);
      }
      byRoute.put(route.name(), Collections.unmodifiableList(ofRules));
    }
  }

  private NearCache cache(
      Configuration configuration,
      RouteConfig route,
      RuleConfig rule,
      NearCacheConfig near,
      @Nullable RuleCaches before) {
    List<Source> sources = rule.pools().stream().map(configuration::pool).map(Source::of).toList();
    Key key = new Key(route.name(), rule.match(), sources, rule.migrate(), near);
    NearCache known = before == null ? null : before.caches.get(key);
    if (known == null) {
      known =
          new NearCache(
              near.sizeBytes(),
              TimeUnit.MILLISECONDS.toNanos(near.ttlMillis()),
              settledFrom,
              Sockets.allocator());
    }
    caches.put(key, known);
    return known;
  }

  /** These pools, and all that share a server with them: a change of those is read from these. */
  private static Set<String> sharing(Configuration configuration, List<String> names) {
    List<PoolConfig> read = names.stream().map(configuration::pool).toList();
    Set<String> servers = read.stream().flatMap(RuleCaches::servers).collect(Collectors.toSet());
    Set<String> sharing = new HashSet<>(names);
    for (PoolConfig other : configuration.pools().values()) {
      boolean learns =
          other.discover().stream()
              .anyMatch(
                  asks -> read.stream().flatMap(p -> p.discover().stream()).anyMatch(asks::asksAs));
      if (learns || servers(other).anyMatch(servers::contains)) {
        sharing.add(other.name());
      }
    }
    return Set.copyOf(sharing);
  }

  private static Stream<String> servers(PoolConfig pool) {
    return pool.servers().stream()
        .map(server -> server.address().label().toLowerCase(Locale.ROOT))
        .map(label -> label.replaceFirst("^localhost:", "127.0.0.1:"));
  }

  /**
   * When requests that new caches do not know of are answered or have failed. Any pool may have
   * sent them to the servers of any other, and those of the former configuration may have waited
   * for older ones.
   */
  private long settledFrom(@Nullable RuleCaches before) {
    long now = Clocks.nanos();
    return before == null
        ? now
        : Clocks.later(before.settledFrom, now + Math.max(before.longestNanos, longestNanos));
  }

  private static long longestNanos(Configuration configuration) {
    return configuration.pools().values().stream()
        .filter(pool -> pool.protocol() == PoolProtocol.MEMCACHED)
        .mapToLong(RuleCaches::longestNanos)
        .max()
        .orElse(0);
  }

  /**
   * Behind replies that a client does not take, a request waits twice its timeout. On a connection
   * that event loops share, it may be twice that. A change of a client that is gone may wait for
   * longer.
   */
  private static long longestNanos(PoolConfig pool) {
    int times = pool.connections().max() > 0 ? 4 : 2;
    long millis = pool.queueTimeoutMillis() + times * pool.timeoutMillis();
    return Math.max(TimeUnit.MILLISECONDS.toNanos(millis), ServerRequest.LEFT_BEHIND_NANOS);
  }

  /** From now on these caches are in use; others are closed. From any thread. */
  void begin() {
    all.follow(pools);
  }

  /** The caches in the order of the route's rules; null for a rule without one. */
  List<NearCache> of(String route) {
    return Objects.requireNonNull(byRoute.get(route), route);
  }

  /** The caches in use. */
  NearCaches all() {
    return all;
  }

  /** Closes the caches in use. */
  void close() {
    all.follow(Map.of());
  }

  /** Total size of all caches of a configuration, in bytes. */
  public static long sizeBytes(Configuration configuration) {
    return configuration.routes().values().stream()
        .flatMap(route -> route.rules().stream())
        .flatMap(rule -> rule.nearCache().stream())
        .collect(Collectors.summingLong(NearCacheConfig::sizeBytes));
  }
}
