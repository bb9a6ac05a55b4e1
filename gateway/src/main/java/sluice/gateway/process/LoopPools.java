package sluice.gateway.process;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.codecs.internode.Framing;
import sluice.config.model.Configuration;
import sluice.config.model.ConnectionsConfig;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.OnFailure;
import sluice.config.model.PoolConfig;
import sluice.config.model.PoolProtocol;
import sluice.config.model.RetriesConfig;
import sluice.config.model.ServerConfig;
import sluice.embedded.EmbeddedSession;
import sluice.embedded.EmbeddedStore;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.internode.Reach;
import sluice.gateway.internode.Upstream;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.request.RequestPool;
import sluice.gateway.routing.Encryption;
import sluice.gateway.routing.RoutingGraph;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerSettings;
import sluice.gateway.server.health.PoolHealth;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.ServerLogin;
import sluice.gateway.server.protocol.ServerProtocol;
import sluice.gateway.server.protocol.binary.BinaryProtocol;
import sluice.gateway.server.protocol.text.TextProtocol;
import sluice.gateway.server.shared.LoopMailboxes;
import sluice.gateway.server.shared.SharedServers;
import sluice.gateway.tls.Dialer;
import sluice.gateway.tls.TlsConnector;
import sluice.gateway.values.PoolValues;
import sluice.names.Dialect;

/**
 * Pools of one event loop, with their servers. A pool or server whose settings are the same in a
 * new configuration is kept, with its connections.
 */
final class LoopPools {
  /** Settings that identify a server. */
  private record Key(
      String pool,
      String identity,
      ServerProtocol protocol,
      ServerSettings settings,
      boolean shared) {}

  /** Settings that identify a pool. */
  private record Said(
      PoolConfig config,
      @Nullable TlsConnector tls,
      @Nullable EmbeddedStore store,
      long itemSize,
      @Nullable PoolHealth health) {}

  private record KnownPool(Said said, @Nullable Pool target, @Nullable Upstream upstream) {}

  private final Loop loop;
  private final Dialer dialer;
  private final RequestPool requestPool;
  private final LoopMetrics metrics;
  private final LoopMailboxes mailboxes;
  private final SharedServers sharedServers;
  // including removed ones that still have connections
  private final List<Server> servers = new ArrayList<>();
  private final List<Upstream> upstreams = new ArrayList<>();
  private Map<Key, Server> current = new LinkedHashMap<>();
  private Map<String, KnownPool> pools = Map.of();
  private final List<Server> warm = new ArrayList<>(); // to be connected to once they are in use
  private boolean leaving; // whether there may be removed ones
  private volatile List<Server> serversSeen = List.of();
  private volatile List<Upstream> upstreamsSeen = List.of();

  LoopPools(
      Loop loop,
      Dialer dialer,
      RequestPool requestPool,
      LoopMetrics metrics,
      LoopMailboxes mailboxes,
      SharedServers sharedServers) {
    this.mailboxes = mailboxes;
    this.sharedServers = sharedServers;
    this.loop = loop;
    this.dialer = dialer;
    this.requestPool = requestPool;
    this.metrics = metrics;
  }

  /** All servers, both sides of each; changed on the loop, together with the pools. */
  List<Server> servers() {
    return servers;
  }

  /** All servers as of the last change; from any thread. */
  List<Server> serversSeen() {
    return serversSeen;
  }

  /** The nodes behind internode pools, as of the last change; from any thread. */
  List<Upstream> upstreamsSeen() {
    return upstreamsSeen;
  }

  /**
   * Creates the pools of a graph besides the existing ones, which are kept until {@link #retain}.
   * Until then nothing connects to new servers but their requests. What happens to them does not
   * change whether a server counts as up, or its health: another graph may still take the place of
   * this one.
   *
   * @return in the configuration's order; null for internode pools
   */
  Pool[] add(RoutingGraph graph) {
    Map<String, KnownPool> known = new HashMap<>(pools);
    Map<String, KnownPool> next = new LinkedHashMap<>();
    for (PoolConfig config : graph.configuration().pools().values()) {
      Said said =
          new Said(
              config,
              graph.encryption().of(config),
              graph.store(config.name()),
              itemSize(config, graph.configuration()),
              graph.health(config.name()));
      KnownPool same = known.get(config.name());
      next.put(config.name(), same != null && same.said().equals(said) ? same : pool(said, graph));
    }
    pools = next;
    seen();
    return next.values().stream().map(KnownPool::target).toArray(Pool[]::new);
  }

  /** The node behind an internode pool of the last added graph. */
  Upstream upstream(String pool) {
    KnownPool known = Objects.requireNonNull(pools.get(pool), pool);
    return Objects.requireNonNull(known.upstream(), pool);
  }

  private KnownPool pool(Said said, RoutingGraph graph) {
    PoolConfig config = said.config();
    EmbeddedStore store = said.store();
    if (store != null) {
      return new KnownPool(said, Pool.embedded(config.name(), new EmbeddedSession(store)), null);
    }
    if (config.protocol() == PoolProtocol.INTERNODE) {
      Upstream upstream = upstream(config, graph);
      upstreams.add(upstream);
      return new KnownPool(said, null, upstream); // no memcached route leads there
    }
    if (config.protocol() == PoolProtocol.IGNITE) {
      List<Server> nodes = noServers(config);
      for (ServerConfig server : config.servers()) {
        nodes.add(server(config, server, graph, BinaryProtocol.IGNITE));
      }
      warm.addAll(nodes);
      return new KnownPool(
          said, IgniteNodes.target(config, graph.ring(config.name()), nodes, said.health()), null);
    }
    List<Server> text = noServers(config);
    List<Server> binary = noServers(config);
    for (ServerConfig server : config.servers()) {
      text.add(server(config, server, graph, TextProtocol.INSTANCE));
      binary.add(server(config, server, graph, BinaryProtocol.INSTANCE));
    }
    warm.addAll(isTextFirst(config, graph.configuration()) ? text : binary);
    return new KnownPool(
        said,
        Pool.servers(
            config.name(),
            graph.ring(config.name()),
            text,
            binary,
            config.onFailure() == OnFailure.MISS,
            config.dialect(),
            PoolValues.of(config, graph.dictionaries(config.name()), said.itemSize(), loop),
            said.health()),
        null);
  }

  /** A placeholder for the servers of a pool that has none yet. */
  private List<Server> noServers(PoolConfig config) {
    List<Server> servers = new ArrayList<>();
    if (config.servers().isEmpty()) {
      servers.add(Server.none(loop, requestPool, config.name(), metrics));
    }
    return servers;
  }

  /** The largest values that clients may have, if that matters to a pool; otherwise 0. */
  private static long itemSize(PoolConfig pool, Configuration configuration) {
    return pool.compression().isEmpty()
        ? 0
        : configuration.listeners().values().stream()
            .filter(listener -> listener.protocol() != ListenerProtocol.INTERNODE)
            .mapToLong(listener -> listener.limits().itemSizeBytes())
            .max()
            .orElse(0);
  }

  private Server server(
      PoolConfig pool, ServerConfig server, RoutingGraph graph, ServerProtocol protocol) {
    ServerSettings settings = settings(pool, server, graph.encryption());
    Key key =
        new Key(pool.name(), server.identity(), protocol, settings, pool.connections().max() > 0);
    Server known = current.get(key);
    if (known == null) {
      ServerStatus status = graph.status(pool.name(), server.identity());
      known = key.shared() ? shared(key, status) : plain(key, status);
      current.put(key, known);
      servers.add(known);
      known.awaitUse();
      known.begin();
    }
    return known;
  }

  private Server plain(Key key, ServerStatus status) {
    return new Server(loop, dialer, requestPool, status, key.protocol(), key.settings(), metrics);
  }

  private Server shared(Key key, ServerStatus status) {
    return new Server(
        loop,
        dialer,
        requestPool,
        status,
        key.protocol(),
        key.settings(),
        metrics,
        mailboxes,
        sharedServers.join(key, status, key.settings().perEventLoop()));
  }

  /** The last added graph is in use: removes all pools and servers that it does not use. */
  void retain() {
    Set<Server> kept = used();
    List<Server> left = new ArrayList<>(current.values());
    left.removeAll(kept);
    current.values().retainAll(kept);
    left.forEach(Server::retire);
    leaving = true;
    seen();
    use();
  }

  /** The last added graph is in use again, after another was added in vain: it has connections. */
  void abandon() {
    warm.clear();
    retain();
  }

  /** The servers of the last added graph are in use; the first connections to new ones are made. */
  void use() {
    Set<Server> used = used();
    used.forEach(Server::use);
    warm.stream().filter(used::contains).forEach(Server::warmUp);
    warm.clear();
  }

  private Set<Server> used() {
    Set<Server> used = new LinkedHashSet<>();
    for (KnownPool pool : pools.values()) {
      if (pool.target() != null) {
        used.addAll(pool.target().servers());
      }
    }
    return used;
  }

  /** Called every few milliseconds: forgets servers that are gone. */
  void sweep() {
    if (!leaving) {
      return;
    }
    Set<Upstream> used = new HashSet<>();
    pools.values().forEach(pool -> used.add(pool.upstream()));
    List<Server> left = servers.stream().filter(Server::isGone).toList();
    servers.removeAll(left);
    left.forEach(server -> server.left(() -> isWantedAgain(server)));
    left.forEach(this::forgetUnlessKnown);
    boolean gone = !left.isEmpty();
    gone |= upstreams.removeIf(upstream -> upstream.connections() == 0 && !used.contains(upstream));
    if (gone) {
      seen();
    }
    leaving =
        servers.size() > current.size() || upstreams.stream().anyMatch(u -> !used.contains(u));
  }

  /** A request of an earlier graph needs a server that was gone. */
  private void isWantedAgain(Server server) {
    servers.add(server);
    leaving = true;
    seen();
  }

  /**
   * Ends the series of a server, unless the same server exists again, or its other side still does.
   */
  private void forgetUnlessKnown(Server gone) {
    ServerStatus status = gone.status();
    boolean known =
        servers.stream()
            .map(Server::status)
            .anyMatch(
                other -> other.pool().equals(status.pool()) && other.name().equals(status.name()));
    if (!known) {
      metrics.forgetServer(status.pool(), status.name());
    }
  }

  private void seen() {
    serversSeen = List.copyOf(servers);
    upstreamsSeen = List.copyOf(upstreams);
  }

  /**
   * The side of a pool's servers that is connected before the first request: the pool's dialect, or
   * else text if some listener accepts it.
   */
  private static boolean isTextFirst(PoolConfig pool, Configuration configuration) {
    return switch (pool.dialect()) {
      case TEXT, META -> true;
      case BINARY -> false;
      case SAME ->
          configuration.listeners().values().stream()
              .filter(l -> l.protocol() == ListenerProtocol.MEMCACHED)
              .anyMatch(
                  l -> l.dialects().contains(Dialect.TEXT) || l.dialects().contains(Dialect.META));
    };
  }

  private static Upstream upstream(PoolConfig pool, RoutingGraph graph) {
    ServerConfig server = pool.servers().get(0);
    Framing framing =
        switch (pool.framing()) {
          case SAME -> null;
          case CRC -> Framing.CRC;
          case LZ4 -> Framing.LZ4;
          case UNPROTECTED -> Framing.UNPROTECTED;
        };
    return new Upstream(
        graph.status(pool.name(), server.identity()),
        reach(pool, graph.encryption()),
        (int) pool.connections().connectTimeoutMillis(),
        framing);
  }

  /** The only server of an internode pool. */
  static Reach reach(PoolConfig pool, Encryption encryption) {
    return new Reach(SocketAddresses.of(pool.servers().get(0).address()), encryption.of(pool));
  }

  private static @Nullable TlsConnector tls(
      PoolConfig pool, ServerConfig server, Encryption encryption) {
    TlsConnector tls = encryption.of(pool);
    return tls == null ? null : server.host().map(tls::towards).orElse(tls);
  }

  private static ServerSettings settings(
      PoolConfig pool, ServerConfig server, Encryption encryption) {
    ConnectionsConfig connections = pool.connections();
    return new ServerSettings(
        SocketAddresses.of(server.address()),
        tls(pool, server, encryption),
        pool.auth().map(auth -> new ServerLogin(auth.login())).orElse(null),
        connections.max() > 0 ? connections.max() : connections.perEventLoop(),
        connections.streams(),
        TimeUnit.MILLISECONDS.toNanos(pool.timeoutMillis()),
        TimeUnit.MILLISECONDS.toNanos(pool.queueTimeoutMillis()),
        TimeUnit.MILLISECONDS.toNanos(connections.connectTimeoutMillis()),
        TimeUnit.MILLISECONDS.toNanos(connections.probeAfterMillis()),
        TimeUnit.MILLISECONDS.toNanos(connections.idleMillis()),
        pool.protocol() == PoolProtocol.IGNITE ? IgniteNodes.PING_AFTER_NANOS : 0,
        pool.retries().map(RetriesConfig::max).orElse(0),
        pool.retries().map(retries -> retries.budgetPercent() / 100.0).orElse(0.0));
  }
}
