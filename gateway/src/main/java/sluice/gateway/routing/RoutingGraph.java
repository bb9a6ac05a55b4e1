package sluice.gateway.routing;

import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import sluice.config.model.Configuration;
import sluice.config.model.HealthConfig;
import sluice.config.model.ListenerConfig;
import sluice.config.model.PoolConfig;
import sluice.config.model.PoolProtocol;
import sluice.config.model.RouteConfig;
import sluice.config.model.ServerConfig;
import sluice.embedded.Clients;
import sluice.embedded.EmbeddedStore;
import sluice.gateway.near.NearCache;
import sluice.gateway.near.NearCaches;
import sluice.gateway.net.Sockets;
import sluice.gateway.route.Route;
import sluice.gateway.route.VerbRoute;
import sluice.gateway.route.hash.Ring;
import sluice.gateway.server.health.PoolHealth;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.time.Clocks;
import sluice.gateway.values.PoolDictionaries;

/**
 * Routing snapshot: the listeners, routes and pools of one configuration, for all event loops. The
 * next configuration replaces it as a whole. The next one takes over the state of servers, the
 * items of stores and the number of clients, for the servers, stores and listeners that it still
 * has.
 */
public final class RoutingGraph {
  private final Configuration configuration;
  private final Encryption encryption;
  private final Limits limits;
  private final RuleCaches ruleCaches;
  private final Map<String, Route> routes = new LinkedHashMap<>();
  private final Map<String, VerbRoute> verbRoutes = new LinkedHashMap<>();
  private final Map<String, Ring> rings = new LinkedHashMap<>();
  private final Map<String, Map<String, Long>> joined = new LinkedHashMap<>();
  private final Map<String, Map<String, ServerStatus>> statuses = new LinkedHashMap<>();
  private final Map<String, PoolHealth> health = new LinkedHashMap<>();
  private final Map<String, PoolDictionaries> dictionaries = new LinkedHashMap<>();
  private final Map<String, AtomicInteger> connections = new LinkedHashMap<>();
  private final Map<String, EmbeddedStore> stores = new LinkedHashMap<>();
  private final Map<String, Long> itemSizes = new LinkedHashMap<>(); // of stores
  private final Queue<EmbeddedStore> removed; // stores of earlier snapshots that are not released
  private final InstantSource clock; // of the process since its start
  private final AtomicInteger servers; // number of servers ever created
  private final Queue<ServerStatus> configuredAnew = new ConcurrentLinkedQueue<>();
  private final Supplier<Clients> clients;

  /**
   * The first snapshot.
   *
   * @param clients source of the clients' numbers in stores' statistics
   */
  public static RoutingGraph of(Configuration configuration, Supplier<Clients> clients) {
    return new RoutingGraph(configuration, clients, null);
  }

  /**
   * The snapshot that follows.
   *
   * @throws IllegalStateException if Java does not support the TLS settings, or there is no memory
   *     for a store
   */
  public RoutingGraph next(Configuration following) {
    return new RoutingGraph(following, clients, this);
  }

  private RoutingGraph(
      Configuration configuration, Supplier<Clients> clients, @Nullable RoutingGraph before) {
    this.configuration = configuration;
    this.clients = clients;
    servers = before == null ? new AtomicInteger() : before.servers;
    encryption = new Encryption(configuration, before == null ? null : before.encryption);
    clock = before == null ? Clocks.steady() : before.clock;
    removed = before == null ? new ConcurrentLinkedQueue<>() : before.removed;
    limits = before == null ? new Limits() : new Limits(before.limits);
    ruleCaches = new RuleCaches(configuration, before == null ? null : before.ruleCaches);
    Graph graph = new Graph(configuration, limits, clock);
    for (RouteConfig route : configuration.routes().values()) {
      if (graph.isInternode(route)) {
        verbRoutes.put(route.name(), Graph.verbRoute(route));
      } else {
        routes.put(route.name(), graph.route(route));
      }
    }
    for (PoolConfig pool : configuration.pools().values()) {
      addStatuses(pool, before);
      addDictionaries(pool, before);
      if (pool.protocol() == PoolProtocol.EMBEDDED) {
        EmbeddedStore known = before == null ? null : before.stores.get(pool.name());
        long itemSize = graph.itemSize(pool.name());
        stores.put(pool.name(), known == null ? store(pool, itemSize, before) : known);
        itemSizes.put(pool.name(), itemSize);
      } else {
        joined.put(pool.name(), joined(pool, before));
        rings.put(pool.name(), Graph.ring(pool, joined.get(pool.name())));
        pool.health().ifPresent(config -> health.put(pool.name(), health(pool, config, before)));
      }
    }
    for (ListenerConfig listener : configuration.listeners().values()) {
      AtomicInteger known = before == null ? null : before.connections.get(listener.name());
      connections.put(listener.name(), known == null ? new AtomicInteger() : known);
    }
  }

  private void addDictionaries(PoolConfig pool, @Nullable RoutingGraph before) {
    PoolDictionaries known = before == null ? null : before.dictionaries.get(pool.name());
    pool.compression()
        .ifPresent(config -> dictionaries.put(pool.name(), PoolDictionaries.of(config, known)));
  }

  private void addStatuses(PoolConfig pool, @Nullable RoutingGraph before) {
    Map<String, ServerStatus> known =
        before == null ? Map.of() : before.statuses.getOrDefault(pool.name(), Map.of());
    Map<String, ServerStatus> ofPool = new LinkedHashMap<>();
    PoolConfig earlier = before == null ? null : before.configuration.pools().get(pool.name());
    // Discovery, too, makes another list of servers.
    boolean anew = earlier != null && !earlier.with(pool.servers()).equals(pool);
    for (ServerConfig server : pool.servers()) {
      ServerStatus status = known.get(server.identity());
      if (status != null && anew) {
        configuredAnew.add(status);
      }
      ofPool.put(
          server.identity(),
          status == null
              ? new ServerStatus(pool.name(), server.identity(), servers.getAndIncrement())
              : status);
    }
    statuses.put(pool.name(), ofPool);
  }

  private PoolHealth health(PoolConfig pool, HealthConfig config, @Nullable RoutingGraph before) {
    PoolHealth known =
        before != null && pool.equals(before.configuration.pools().get(pool.name()))
            ? before.health.get(pool.name())
            : null;
    if (known != null) {
      return known;
    }
    return new PoolHealth(
        pool.name(),
        config,
        List.copyOf(statuses(pool.name()).values()),
        left -> Graph.ring(pool, left.stream().map(pool.servers()::get).toList(), Map.of()));
  }

  /**
   * From now on this snapshot decides which servers are ejected, what is cached, and the largest
   * items of stores. On each event loop.
   */
  public void begin() {
    stores.forEach((pool, store) -> store.limitItems(known(itemSizes, pool)));
    ruleCaches.begin();
    configuredAnew.forEach(ServerStatus::shareLinesAgain);
    configuredAnew.clear();
    statuses.forEach(
        (pool, servers) -> {
          PoolHealth decides = health.get(pool);
          if (decides == null) {
            servers.values().forEach(server -> server.health().isLeftAlone());
          } else {
            decides.begin();
          }
        });
  }

  /** When servers joined that do not have all their keys yet, by identity. */
  private static Map<String, Long> joined(PoolConfig pool, @Nullable RoutingGraph before) {
    Map<String, ServerStatus> known =
        before == null ? Map.of() : before.statuses.getOrDefault(pool.name(), Map.of());
    long slowStart = TimeUnit.MILLISECONDS.toNanos(pool.hash().slowStartMillis());
    if (before == null || known.isEmpty() || slowStart == 0) {
      return Map.of();
    }
    long now = Clocks.nanos();
    Map<String, Long> earlier = before.joined.getOrDefault(pool.name(), Map.of());
    Map<String, Long> joined = new LinkedHashMap<>();
    for (ServerConfig server : pool.servers()) {
      String identity = server.identity();
      Long at = known.containsKey(identity) ? earlier.get(identity) : Long.valueOf(now);
      if (at != null && now - at < slowStart) {
        joined.put(identity, at);
      }
    }
    return joined;
  }

  private EmbeddedStore store(PoolConfig pool, long itemSize, @Nullable RoutingGraph before) {
    try {
      return new EmbeddedStore(pool.sizeBytes(), itemSize, clock, Sockets.allocator(), clients);
    } catch (OutOfMemoryError e) {
      closeAllBut(before == null ? Map.of() : before.stores);
      throw new IllegalStateException(
          "pools." + pool.name() + ": no memory for the tables of its store: " + e.getMessage(), e);
    }
  }

  public Configuration configuration() {
    return configuration;
  }

  /** Explanations of where requests go now. */
  public Explainer explainer() {
    return new Explainer(configuration, clock);
  }

  /** The TLS of listeners and pools. */
  public Encryption encryption() {
    return encryption;
  }

  public Route route(String name) {
    return known(routes, name);
  }

  /** The near caches of a route's rules, in order; null for one without. */
  public List<NearCache> nearCaches(String route) {
    return ruleCaches.of(route);
  }

  /** All near caches that are in use. */
  public NearCaches nearCaches() {
    return ruleCaches.all();
  }

  /** A route of links. */
  public VerbRoute verbRoute(String name) {
    return known(verbRoutes, name);
  }

  /** The ring of a pool; null if it has one server, or none. */
  public @Nullable Ring ring(String pool) {
    return rings.get(pool);
  }

  /** The store of a pool; null if it has servers. */
  public @Nullable EmbeddedStore store(String pool) {
    return configuration.pool(pool).protocol() == PoolProtocol.EMBEDDED ? stores.get(pool) : null;
  }

  /** The health of a pool's servers; null if none is ever ejected. */
  public @Nullable PoolHealth health(String pool) {
    return health.get(pool);
  }

  /** The dictionaries of a pool's compression; null if it does not compress. */
  public @Nullable PoolDictionaries dictionaries(String pool) {
    return dictionaries.get(pool);
  }

  public ServerStatus status(String pool, String server) {
    return known(statuses(pool), server);
  }

  /** Statuses of a pool's servers, by server. */
  public Map<String, ServerStatus> statuses(String pool) {
    return known(statuses, pool);
  }

  private static <T> T known(Map<String, T> all, String name) {
    return Objects.requireNonNull(all.get(name), name);
  }

  /** The status of each server, by pool and server. */
  public Map<String, Map<String, ServerStatus>> statuses() {
    return statuses;
  }

  /** The number of open clients or links of a listener. */
  public AtomicInteger connections(String listener) {
    return known(connections, listener);
  }

  /**
   * Releases what only this snapshot has, because it does not replace {@code before}: stores of new
   * pools. From any thread. Requests that still come to them fail.
   */
  public void abandon(RoutingGraph before) {
    closeAllBut(before.stores);
  }

  private void closeAllBut(Map<String, EmbeddedStore> kept) {
    stores.forEach(
        (pool, store) -> {
          if (kept.get(pool) != store) {
            store.close();
          }
        });
  }

  /**
   * The most bytes that stores take when a configuration has just replaced this one: those in use,
   * those that are released later, and those of its new pools.
   */
  public long storeBytes(Configuration following) {
    long existing =
        Stream.concat(stores.values().stream(), removed.stream())
            .mapToLong(EmbeddedStore::sizeBytes)
            .sum();
    return existing
        + following.pools().values().stream()
            .filter(pool -> pool.protocol() == PoolProtocol.EMBEDDED)
            .filter(pool -> !stores.containsKey(pool.name()))
            .mapToLong(PoolConfig::sizeBytes)
            .sum();
  }

  /**
   * This snapshot has replaced before on all event loops. From any thread.
   *
   * @return the stores of pools that were removed, for {@link #release}: a request that began
   *     earlier may still use them
   */
  public List<EmbeddedStore> replaced(RoutingGraph before) {
    List<EmbeddedStore> unused =
        before.stores.entrySet().stream()
            .filter(store -> stores.get(store.getKey()) != store.getValue())
            .map(Map.Entry::getValue)
            .toList();
    removed.addAll(unused);
    return unused;
  }

  /** Releases stores of removed pools. From any thread. Requests that still come to them fail. */
  public void release(List<EmbeddedStore> unused) {
    unused.forEach(EmbeddedStore::close);
    removed.removeAll(unused);
  }

  /** Releases all stores and caches, including those of earlier snapshots. */
  public void close() {
    ruleCaches.close();
    stores.values().forEach(EmbeddedStore::close);
    removed.forEach(EmbeddedStore::close);
  }
}
