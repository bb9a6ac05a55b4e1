package sluice.gateway.routing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import sluice.config.model.Configuration;
import sluice.config.model.HashConfig;
import sluice.config.model.MatchConfig;
import sluice.config.model.NearCacheConfig;
import sluice.config.model.PoolConfig;
import sluice.config.model.RouteConfig;
import sluice.config.model.RuleConfig;
import sluice.config.model.ServerConfig;
import sluice.gateway.near.NearCache;
import sluice.gateway.near.NearCaches;
import sluice.gateway.net.Sockets;
import sluice.gateway.time.Clocks;

/**
 * Near caches of a configuration's rules. A rule with the same settings in the next configuration
 * keeps its cache, as long as its keys stay on their servers. Otherwise a client that still uses
 * the earlier configuration could read a key from its old server, and cache the value behind a
 * change on the new one.
 */
public final class RuleCaches {
  private record Key(String route, MatchConfig match, List<Place> pools, NearCacheConfig config) {}

  /** What determines the server of a key in one pool. */
  private record Place(String pool, List<ServerConfig> servers, HashConfig hash) {
    static Place of(PoolConfig pool) {
      return new Place(pool.name(), pool.servers(), pool.hash());
    }
  }

  private final NearCaches all;
  private final Map<Key, NearCache> caches = new HashMap<>();
  private final Map<NearCache, Set<String>> pools = new HashMap<>();
  private final Map<String, List<NearCache>> byRoute = new HashMap<>();

  /** The caches of a configuration; before may be null. */
  RuleCaches(Configuration configuration, @Nullable RuleCaches before) {
    all = before == null ? new NearCaches() : before.all;
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
    List<Place> places = rule.pools().stream().map(configuration::pool).map(Place::of).toList();
    Key key = new Key(route.name(), rule.match(), places, near);
    NearCache known = before == null ? null : before.caches.get(key);
    if (known == null) {
      // When it begins to cache replies, requests that were sent before it existed are answered or
      // have failed.
      long settles =
          before == null
              ? 0
              : rule.pools().stream()
                  .map(configuration::pool)
                  .mapToLong(RuleCaches::longestMillis)
                  .max()
                  .orElse(0);
      known =
          new NearCache(
              near.sizeBytes(),
              TimeUnit.MILLISECONDS.toNanos(near.ttlMillis()),
              Clocks.nanos() + TimeUnit.MILLISECONDS.toNanos(settles),
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

  /** The longest time that a request of a pool is in flight. */
  private static long longestMillis(PoolConfig pool) {
    return pool.queueTimeoutMillis() + 2 * pool.timeoutMillis();
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
