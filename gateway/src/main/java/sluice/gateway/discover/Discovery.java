package sluice.gateway.discover;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.config.model.Configuration;
import sluice.config.model.DiscoverConfig;
import sluice.config.model.DiscoverSource;
import sluice.config.model.PoolConfig;
import sluice.config.model.ServerConfig;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.net.Sockets;
import sluice.gateway.tls.Dialer;
import sluice.gateway.tls.TlsConnector;

/**
 * Discovery of the servers of all pools that have a source. It runs on an event loop that carries
 * no traffic; its methods may be called from any thread.
 */
public final class Discovery {
  private static final long NAME_SERVER_MILLIS = 2_000;

  private final Vertx vertx;
  private final Context context;
  private final GatewayMetrics metrics;
  private final Follower follower;
  private final NameServers nameServers;
  // kept: Vert.x closes the sockets of a client that nothing refers to
  private final NetClient netClient;
  private final Dialer dialer;
  private volatile Map<String, Watch> watches = Map.of();
  private boolean closed;

  /**
   * A discovery without pools.
   *
   * @param context of the event loop that it runs on
   */
  public Discovery(Vertx vertx, Context context, GatewayMetrics metrics, Follower follower) {
    this.vertx = vertx;
    this.context = context;
    this.metrics = metrics;
    this.follower = follower;
    nameServers = new NameServers(() -> Sockets.resolver(vertx, context), NAME_SERVER_MILLIS);
    netClient = vertx.createNetClient(new NetClientOptions().setReconnectAttempts(0));
    dialer = new Dialer(bytes -> {}, netClient, context);
  }

  /**
   * Configuration with the discovered servers. The caller must call either {@link #use} or {@link
   * #drop}.
   */
  public final class Prepared {
    private final Configuration configuration;
    private final Map<String, Watch> next;

    private Prepared(Configuration configuration, Map<String, Watch> next) {
      this.configuration = configuration;
      this.next = next;
    }

    /** The configuration to change to. */
    public Configuration configuration() {
      return configuration;
    }

    /** Starts regular queries for its pools, and stops those of earlier configurations. */
    public void use() {
      context.runOnContext(
          v -> {
            watches.values().stream()
                .filter(watch -> !next.containsValue(watch))
                .forEach(Watch::stop);
            watches = Map.copyOf(next);
            next.forEach(
                (pool, watch) -> {
                  if (!closed) {
                    watch.run(configuration.pool(pool).discover().orElseThrow());
                  }
                });
          });
    }

    /** Discards it. */
    public void drop() {
      context.runOnContext(
          v ->
              next.values().stream()
                  .filter(watch -> !watches.containsValue(watch))
                  .forEach(Watch::stop));
    }
  }

  /**
   * Discovers the servers of a configuration, except those already known. One caller at a time.
   *
   * @param asked configuration whose pools with {@code discover} may have any servers
   * @param now configuration in use: a pool whose servers cannot be discovered keeps those that it
   *     has there
   * @return completes, in any case, within the longest of the {@code connectTimeout}s
   */
  public Future<Prepared> prepare(Configuration asked, Configuration now) {
    Promise<Prepared> prepared = Promise.promise();
    context.runOnContext(
        v -> {
          try {
            prepare(asked, now, prepared);
          } catch (RuntimeException e) { // a certificate that Java cannot use, say
            prepared.tryFail(e);
          }
        });
    return prepared.future();
  }

  private void prepare(Configuration asked, Configuration now, Promise<Prepared> prepared) {
    Map<String, Watch> next = new LinkedHashMap<>();
    List<Future<?>> first = new ArrayList<>();
    for (PoolConfig pool : asked.pools().values()) {
      if (pool.discover().isPresent()) {
        Watch known = watches.get(pool.name());
        PoolConfig before = now.pools().get(pool.name());
        if (known != null && known.asksAs(pool.discover().get()) && asksAlike(pool, before)) {
          next.put(pool.name(), known);
        } else {
          Watch watch = watch(pool, pool.discover().get());
          next.put(pool.name(), watch);
          List<ServerConfig> has =
              before != null && before.protocol() == pool.protocol() ? before.servers() : List.of();
          first.add(watch.first(has, pool.connections().connectTimeoutMillis()));
        }
      }
    }
    Future.join(first)
        .onComplete(
            done -> {
              Map<String, List<ServerConfig>> servers = new LinkedHashMap<>();
              next.forEach(
                  (pool, watch) -> servers.put(pool, servers(watch, asked.pool(pool), now)));
              prepared.complete(new Prepared(asked.withServers(servers), next));
            });
  }

  /** Whether two configurations of a pool make the same connections for queries. */
  private static boolean asksAlike(PoolConfig pool, @Nullable PoolConfig before) {
    return before != null
        && before.protocol() == pool.protocol()
        && (before.tls().equals(pool.tls())
            || pool.discover().orElseThrow().source() != DiscoverSource.ELASTICACHE);
  }

  private static List<ServerConfig> servers(Watch watch, PoolConfig pool, Configuration now) {
    List<ServerConfig> learned = watch.state().servers();
    PoolConfig before = now.pools().get(pool.name());
    if (learned.isEmpty() && before != null && before.protocol() == pool.protocol()) {
      return before.servers();
    }
    return learned;
  }

  private Watch watch(PoolConfig pool, DiscoverConfig discover) {
    Source source =
        switch (discover.source()) {
          case DNS -> new AddressSource(nameServers, discover);
          case SRV -> new ServiceSource(nameServers, discover);
          case ELASTICACHE ->
              new ClusterSource(
                  dialer,
                  discover,
                  pool.tls().map(TlsConnector::new).orElse(null),
                  (int) pool.connections().connectTimeoutMillis());
        };
    return new Watch(vertx, metrics, follower, pool.name(), discover, source);
  }

  /** The state of a pool's discovery; null if its servers are written in the file. */
  public @Nullable DiscoveryState state(String pool) {
    Watch watch = watches.get(pool);
    return watch == null ? null : watch.state();
  }

  /** Stops all queries. */
  public void close() {
    context.runOnContext(
        v -> {
          closed = true;
          watches.values().forEach(Watch::stop);
          nameServers.close();
          netClient.close();
        });
  }
}
