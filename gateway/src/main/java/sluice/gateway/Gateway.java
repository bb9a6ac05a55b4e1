package sluice.gateway;

import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.NetUtil;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.transport.Transport;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.Address;
import sluice.config.AdminConfig;
import sluice.config.Configuration;
import sluice.config.ListenerConfig;
import sluice.config.ListenerProtocol;
import sluice.config.PoolConfig;
import sluice.config.PoolProtocol;
import sluice.config.RouteConfig;
import sluice.gateway.admin.AdminServer;
import sluice.gateway.embedded.EmbeddedStore;
import sluice.gateway.internode.LinkRegistry;
import sluice.gateway.internode.Reach;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.loop.TurnTransport;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.net.Sockets;
import sluice.gateway.route.Route;
import sluice.gateway.route.VerbRoute;
import sluice.gateway.route.hash.Ring;
import sluice.gateway.server.ServerStatus;

/**
 * The process: event loops, what they share, and the admin port. Made by {@link #start}; its
 * methods may be called from any thread.
 */
public final class Gateway {
  private static final int SWEEP_MILLIS = 10;
  private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
  private static final AtomicInteger RANDOM_PORTS = new AtomicInteger(1);

  private final Configuration configuration;
  private final GatewayMetrics metrics = new GatewayMetrics();
  private final Map<String, Route> routes = new LinkedHashMap<>();
  private final Map<String, VerbRoute> verbRoutes = new LinkedHashMap<>();
  private final Map<String, Ring> rings = new LinkedHashMap<>();
  private final Map<String, EmbeddedStore> stores = new LinkedHashMap<>();
  private final Map<String, Map<String, ServerStatus>> statuses = new LinkedHashMap<>();
  private final Map<String, AtomicInteger> connections = new LinkedHashMap<>();
  private final Map<String, SocketAddress> bindAddresses = new LinkedHashMap<>();
  private final Map<String, String> boundAddresses = new ConcurrentHashMap<>();
  private final List<LoopVerticle> loops = new CopyOnWriteArrayList<>();
  private final Encryption encryption;
  private final LinkRegistry linkRegistry;
  private final MemoryShare[] memory;
  private final GatewayView view = new GatewayView(this);
  private final Promise<Void> stopped = Promise.promise();

  private Vertx vertx;
  private AdminServer admin;
  private volatile String adminAddress;
  private volatile boolean bound;
  private volatile boolean draining;

  private Gateway(Configuration configuration) {
    this.configuration = configuration;
    encryption = new Encryption(configuration);
    linkRegistry = new LinkRegistry(this::behind, encryption::asNodeOf);
    memory =
        MemoryShare.of(configuration.process().eventLoops(), configuration.process().memoryBytes());
    Graph graph = new Graph(configuration);
    for (RouteConfig route : configuration.routes().values()) {
      if (graph.isInternode(route)) {
        verbRoutes.put(route.name(), Graph.verbRoute(route));
      } else {
        routes.put(route.name(), graph.route(route));
      }
    }
    for (PoolConfig pool : configuration.pools().values()) {
      Map<String, ServerStatus> ofPool = new LinkedHashMap<>();
      pool.servers()
          .forEach(
              server ->
                  ofPool.put(server.identity(), new ServerStatus(pool.name(), server.identity())));
      statuses.put(pool.name(), ofPool);
      if (pool.protocol() == PoolProtocol.EMBEDDED) {
        stores.put(
            pool.name(),
            new EmbeddedStore(
                pool.sizeBytes(),
                graph.itemSize(pool.name()),
                Clock.systemUTC(),
                Sockets.allocator()));
      } else {
        rings.put(pool.name(), Graph.ring(pool));
      }
    }
    for (ListenerConfig listener : configuration.listeners().values()) {
      connections.put(listener.name(), new AtomicInteger());
      bindAddresses.put(listener.name(), bindAddressOf(listener));
    }
    metrics.serverStates(view::serverStates);
  }

  private static SocketAddress bindAddressOf(ListenerConfig listener) {
    if (listener.bind() instanceof Address.Tcp tcp && tcp.port() == 0) {
      // All loops must share the one free port that is found.
      return SocketAddress.sharedRandomPort(RANDOM_PORTS.getAndIncrement(), tcp.host());
    }
    return LoopVerticle.socketAddress(listener.bind());
  }

  /**
   * Starts a gateway.
   *
   * @return completes when everything is bound; fails, with everything closed again, if something
   *     cannot be: the message says what
   */
  public static Future<Gateway> start(Configuration configuration) {
    Gateway gateway;
    try {
      gateway = new Gateway(configuration);
    } catch (IllegalStateException e) {
      return Future.failedFuture(e);
    }
    // Not composed: the event loop that a failed start was told on is gone when all is closed.
    Promise<Gateway> started = Promise.promise();
    gateway
        .run()
        .onSuccess(started::complete)
        .onFailure(failure -> gateway.close().onComplete(done -> started.fail(failure)));
    return started.future();
  }

  private Future<Gateway> run() {
    Transport transport;
    try {
      transport = Transports.choose(configuration.process().transport());
    } catch (IllegalStateException e) {
      return Future.failedFuture(e);
    }
    DirectMemory.shortage(configuration, DirectMemory.limitBytes()).ifPresent(LOG::warn);
    int eventLoops = configuration.process().eventLoops();
    vertx =
        Vertx.builder()
            .with(
                new VertxOptions()
                    .setEventLoopPoolSize(eventLoops + 1) // one for the admin port
                    .setWorkerPoolSize(2)
                    .setInternalBlockingPoolSize(2)
                    .setMetricsOptions(new MicrometerMetricsOptions().setEnabled(true)))
            .withMetrics(new MicrometerMetricsFactory((MeterRegistry) metrics.registry()))
            .withTransport(new TurnTransport(transport))
            .build();
    admin = new AdminServer(vertx, view);
    AtomicInteger next = new AtomicInteger();
    return admin
        .listen(configuration.admin().bind().label())
        .recover(
            failure ->
                Future.failedFuture(
                    new IllegalStateException(
                        "admin.bind: cannot bind "
                            + configuration.admin().bind().label()
                            + ": "
                            + failure.getMessage(),
                        failure)))
        .onSuccess(
            address -> {
              adminAddress = address;
              // here, which is on the admin port's own event loop
              vertx.setPeriodic(SWEEP_MILLIS, id -> loops.forEach(LoopVerticle::sweep));
            })
        .compose(
            address ->
                vertx.deployVerticle(
                    () -> new LoopVerticle(this, next.getAndIncrement()),
                    new DeploymentOptions().setInstances(eventLoops)))
        .map(
            deployed -> {
              bound = true;
              LOG.info(
                  "ready: {} admin={} transport={}", listening(), adminAddress, transport.name());
              return this;
            });
  }

  private String listening() {
    StringBuilder all = new StringBuilder();
    configuration
        .listeners()
        .keySet()
        .forEach(
            name ->
                all.append(all.isEmpty() ? "" : " ")
                    .append(name)
                    .append('=')
                    .append(address(name)));
    return all.toString();
  }

  // --- what the loops share -----------------------------------------------------------------

  Configuration configuration() {
    return configuration;
  }

  GatewayMetrics metrics() {
    return metrics;
  }

  MemoryShare memory(int loop) {
    return memory[loop];
  }

  Route route(String name) {
    return routes.get(name);
  }

  /** A route of links. */
  VerbRoute verbRoute(String name) {
    return verbRoutes.get(name);
  }

  Ring ring(String pool) {
    return rings.get(pool);
  }

  /** The store of a pool; null if it has servers. */
  EmbeddedStore store(String pool) {
    return stores.get(pool);
  }

  ServerStatus status(String pool, String server) {
    return statuses.get(pool).get(server);
  }

  Map<String, Map<String, ServerStatus>> statuses() {
    return statuses;
  }

  AtomicInteger connections(String listener) {
    return connections.get(listener);
  }

  List<LoopVerticle> loops() {
    return loops;
  }

  SocketAddress bindAddress(ListenerConfig listener) {
    return bindAddresses.get(listener.name());
  }

  void started(LoopVerticle loop) {
    loops.add(loop);
  }

  void bound(ListenerConfig listener, int port) {
    String label =
        listener.bind() instanceof Address.Tcp tcp
            ? new Address.Tcp(tcp.host(), port).label()
            : listener.bind().label();
    boundAddresses.put(listener.name(), label);
  }

  /** The TLS of listeners and pools. */
  Encryption encryption() {
    return encryption;
  }

  /** The links of all loops. */
  LinkRegistry linkRegistry() {
    return linkRegistry;
  }

  /** By which address nodes know the one behind a listener; null if nothing says so. */
  InetSocketAddress node(ListenerConfig listener) {
    Address bind = Address.parse(boundAddresses.getOrDefault(listener.name(), "")).orElse(null);
    Address.Tcp node =
        listener.node().orElse(bind instanceof Address.Tcp tcp && tcp.isNode() ? tcp : null);
    return node == null
        ? null
        : new InetSocketAddress(
            NetUtil.createInetAddressFromIpAddressString(node.host()), node.port());
  }

  /** The server behind the listener that stands for a node; null if none does. */
  private Reach behind(InetSocketAddress node) {
    for (ListenerConfig listener : configuration.listeners().values()) {
      if (listener.protocol() == ListenerProtocol.INTERNODE && node.equals(node(listener))) {
        PoolConfig pool = configuration.pools().get(verbRoute(listener.route()).pool());
        return LoopVerticle.reach(pool, encryption);
      }
    }
    return null;
  }

  // --- for the admin port and the command line ----------------------------------------------

  boolean isBound() {
    return bound;
  }

  boolean isDraining() {
    return draining;
  }

  AdminConfig adminConfig() {
    return configuration.admin();
  }

  /** The address that a listener is bound to, with its real port. */
  public String address(String listener) {
    return boundAddresses.get(listener);
  }

  /** The address that the admin port is bound to, with its real port. */
  public String adminAddress() {
    return adminAddress;
  }

  /** All metrics in Prometheus' text format. */
  public String scrape() {
    return metrics.scrape();
  }

  /** Bytes that all loops together hold for their connections. */
  public long bufferedBytes() {
    return metrics.bufferedBytes();
  }

  /** Completes when the gateway has stopped, for whatever reason. */
  public Future<Void> stopped() {
    return stopped.future();
  }

  /**
   * Takes no new clients, lets what is in flight finish for as long as {@code process.drain}
   * allows, and stops. Asked again, it changes nothing.
   */
  public Future<Void> drain() {
    synchronized (this) {
      if (draining) {
        return stopped.future();
      }
      draining = true;
    }
    long limit = configuration.process().drainMillis();
    LOG.info("draining for up to {} ms", limit);
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limit);
    for (LoopVerticle loop : loops) {
      loop.loopContext().runOnContext(v -> loop.drain());
    }
    vertx.setPeriodic(
        20,
        id -> {
          if (loops.stream().allMatch(LoopVerticle::isEmpty) || System.nanoTime() - deadline > 0) {
            vertx.cancelTimer(id);
            close();
          }
        });
    return stopped.future();
  }

  /** Stops at once. */
  public Future<Void> close() {
    if (stopped.future().isComplete()) {
      return stopped.future();
    }
    draining = true;
    // Not one chain of futures: one that was made on an event loop completes only while that runs.
    if (admin == null) {
      closeVertx();
    } else {
      admin.close().onComplete(done -> closeVertx());
    }
    return stopped.future();
  }

  private void closeVertx() {
    if (vertx == null) {
      ended();
    } else {
      vertx.close().onComplete(done -> ended());
    }
  }

  private void ended() {
    stores.values().forEach(EmbeddedStore::close);
    if (!stopped.future().isComplete()) {
      LOG.info("stopped"); // first: who waits for it ends the process
    }
    stopped.tryComplete();
  }
}
