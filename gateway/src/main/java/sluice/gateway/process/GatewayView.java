package sluice.gateway.process;

import io.vertx.core.Context;
import io.vertx.core.Future;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.config.ConfigurationPrinter;
import sluice.config.model.ListenerConfig;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.PoolConfig;
import sluice.config.model.Ready;
import sluice.config.model.RouteConfig;
import sluice.gateway.admin.AdminView;
import sluice.gateway.admin.Explanation;
import sluice.gateway.admin.ListenerState;
import sluice.gateway.admin.PoolState;
import sluice.gateway.admin.ProcessState;
import sluice.gateway.admin.Readiness;
import sluice.gateway.admin.RouteState;
import sluice.gateway.admin.ServerState;
import sluice.gateway.discover.DiscoveryState;
import sluice.gateway.history.History;
import sluice.gateway.internode.Upstream;
import sluice.gateway.metrics.LinkType;
import sluice.gateway.metrics.SampleKind;
import sluice.gateway.metrics.ServerCondition;
import sluice.gateway.metrics.ServerName;
import sluice.gateway.routing.RoutingGraph;
import sluice.gateway.samples.HotKeys;
import sluice.gateway.server.Server;
import sluice.gateway.server.health.Health;
import sluice.gateway.server.health.PoolHealth;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.values.PoolDictionaries;
import sluice.gateway.values.ValueSamples;

/** View of a running process for the admin port. */
final class GatewayView implements AdminView {
  private final Lifecycle process;
  private final SharedParts shared;
  private final List<LoopVerticle> loops;
  private final SampleDrain samples;
  private final History history;

  GatewayView(
      Lifecycle process,
      SharedParts shared,
      List<LoopVerticle> loops,
      SampleDrain samples,
      History history) {
    this.history = history;
    this.process = process;
    this.shared = shared;
    this.loops = loops;
    this.samples = samples;
  }

  @Override
  public boolean bound() {
    return process.isBound();
  }

  @Override
  public List<Context> eventLoops() {
    return loops.stream().map(LoopVerticle::loopContext).toList();
  }

  @Override
  public Readiness readiness() {
    Readiness.Phase phase =
        process.isDraining()
            ? Readiness.Phase.DRAINING
            : process.isBound() ? Readiness.Phase.RUNNING : Readiness.Phase.STARTING;
    List<Readiness.UnusableRoute> unusable = new ArrayList<>();
    RoutingGraph graph = shared.graph();
    for (RouteConfig route : graph.configuration().routes().values()) {
      List<String> pools =
          route.rules().stream()
              .flatMap(rule -> rule.answeringPools().stream())
              .distinct()
              .toList();
      if (!pools.isEmpty() && pools.stream().noneMatch(pool -> isUsable(graph, pool))) {
        unusable.add(new Readiness.UnusableRoute(route.name(), why(graph, pools)));
      }
    }
    return new Readiness(
        phase,
        shared.configuration().admin().ready() == Ready.ROUTES,
        unusable,
        process.problems(),
        shared.metrics().inFlight());
  }

  private static boolean isUsable(RoutingGraph graph, String pool) {
    Map<String, ServerStatus> servers = graph.statuses(pool);
    return graph.store(pool) != null || servers.values().stream().anyMatch(GatewayView::isUsable);
  }

  /** Whether requests are sent to a server, as far as is known. */
  private static boolean isUsable(ServerStatus status) {
    return status.isUsable() && !status.health().isEjected();
  }

  private String why(RoutingGraph graph, List<String> pools) {
    StringBuilder all = new StringBuilder();
    for (String pool : pools) {
      if (graph.statuses(pool).isEmpty()) {
        all.append(all.isEmpty() ? "" : "; ").append("pool ").append(pool);
        all.append(" has no servers");
        DiscoveryState discovery = process.discovery(pool);
        if (discovery != null) {
          all.append(": ").append(discovery.problem());
        }
      }
      for (ServerStatus status : graph.statuses(pool).values()) {
        all.append(all.isEmpty() ? "" : "; ").append("pool ").append(pool).append(": ");
        Health health = status.health();
        all.append(
            health.isEjected()
                ? "server " + status.name() + " is ejected: " + health.why()
                : status.why());
      }
    }
    return all.toString();
  }

  @Override
  public List<ListenerState> listeners() {
    RoutingGraph graph = shared.graph();
    return graph.configuration().listeners().values().stream()
        .map(
            listener ->
                new ListenerState(
                    listener,
                    shared.addresses().of(listener.name()),
                    graph.connections(listener.name()).get(),
                    links(listener)))
        .toList();
  }

  /** Open links by type; empty for memcached. */
  private Map<String, Long> links(ListenerConfig listener) {
    Map<String, Long> links = new LinkedHashMap<>();
    if (listener.protocol() == ListenerProtocol.INTERNODE) {
      for (LinkType type : LinkType.values()) {
        links.put(type.label(), shared.metrics().links(listener.name(), type));
      }
    }
    return links;
  }

  @Override
  public List<PoolState> pools() {
    List<PoolState> pools = new ArrayList<>();
    RoutingGraph graph = shared.graph();
    IdentityHashMap<ServerStatus, Use> uses = uses();
    for (PoolConfig pool : graph.configuration().pools().values()) {
      List<ServerState> servers =
          graph.store(pool.name()) != null
              ? List.of(embedded())
              : graph.statuses(pool.name()).values().stream()
                  .map(status -> server(status, uses.getOrDefault(status, new Use())))
                  .toList();
      PoolHealth health = graph.health(pool.name());
      pools.add(
          new PoolState(
              pool.name(),
              pool.protocol().label(),
              discovery(pool),
              health != null && health.canEject(),
              servers));
    }
    return pools;
  }

  private PoolState.@Nullable Discovery discovery(PoolConfig pool) {
    DiscoveryState state = process.discovery(pool.name());
    return state == null
        ? null
        : new PoolState.Discovery(
            state.from(), state.answered(), state.problem(), state.since(), state.remark());
  }

  private static ServerState embedded() {
    return new ServerState(
        "embedded",
        ServerState.Condition.UP,
        "in this process",
        Instant.EPOCH,
        0,
        0,
        ServerVersion.EMBEDDED.toString(),
        0,
        null);
  }

  /** What all loops together have of a server. */
  private static final class Use {
    private long inFlight;
    private long connections;
  }

  /** The use of all servers, in one pass: there may be thousands. */
  private IdentityHashMap<ServerStatus, Use> uses() {
    IdentityHashMap<ServerStatus, Use> uses = new IdentityHashMap<>();
    for (LoopVerticle loop : loops) {
      for (Server server : loop.servers()) {
        Use use = uses.computeIfAbsent(server.status(), status -> new Use());
        use.inFlight += server.inFlight();
        use.connections += server.connections();
      }
      for (Upstream upstream : loop.upstreams()) {
        uses.computeIfAbsent(upstream.status(), status -> new Use()).connections +=
            upstream.connections();
      }
    }
    return uses;
  }

  private static ServerState server(ServerStatus status, Use use) {
    ServerState.Condition condition =
        !status.isTried()
            ? ServerState.Condition.UNTRIED
            : status.isUsable() ? ServerState.Condition.UP : ServerState.Condition.DOWN;
    Health health = status.health();
    boolean ejected = health.isEjected();
    ServerVersion version = status.version();
    return new ServerState(
        status.name(),
        ejected ? ServerState.Condition.EJECTED : condition,
        ejected ? health.why() : status.why(),
        ejected ? health.since() : status.since(),
        use.inFlight,
        use.connections,
        version == null ? null : version.toString(),
        health.ejections(),
        status.singleKeyGetsSince());
  }

  Map<ServerName, ServerCondition> serverStates() {
    Map<ServerName, ServerCondition> states = new LinkedHashMap<>();
    shared
        .graph()
        .statuses()
        .forEach(
            (pool, servers) ->
                servers.forEach(
                    (name, status) ->
                        states.put(
                            new ServerName(pool, name),
                            new ServerCondition(isUsable(status), status.health().ejections()))));
    return states;
  }

  @Override
  public ProcessState process() {
    Path file = process.file();
    return Overview.process(
        shared.configuration(),
        file == null ? null : file.toString(),
        process.reloadedAt(),
        process.problems());
  }

  @Override
  public List<RouteState> routes() {
    return Overview.routes(shared.configuration());
  }

  @Override
  public History history() {
    return history;
  }

  @Override
  public ValueSamples valueSamples(String pool) {
    RoutingGraph graph = shared.graph();
    if (!graph.configuration().pools().containsKey(pool)) {
      throw new IllegalArgumentException("no pool '" + pool + "'");
    }
    PoolDictionaries dictionaries = graph.dictionaries(pool);
    if (dictionaries == null) {
      throw new IllegalArgumentException(
          "pool " + pool + " compresses no values: it has no 'compression'");
    }
    return dictionaries.samples();
  }

  @Override
  public @Nullable String eject(String pool, String server) {
    return decide(pool, server, PoolHealth::eject);
  }

  @Override
  public @Nullable String restore(String pool, String server) {
    return decide(
        pool,
        server,
        (health, status) -> {
          if (!status.health().isEjected()) {
            return "the server is not ejected";
          }
          health.restore(status);
          return null;
        });
  }

  private @Nullable String decide(
      String pool, String server, BiFunction<PoolHealth, ServerStatus, @Nullable String> change) {
    RoutingGraph graph = shared.graph();
    if (!graph.configuration().pools().containsKey(pool)) {
      throw new IllegalArgumentException("no pool '" + pool + "'");
    }
    ServerStatus status = graph.statuses(pool).get(server);
    if (status == null) {
      throw new IllegalArgumentException("no server '" + server + "' in pool " + pool);
    }
    PoolHealth health = graph.health(pool);
    return health == null ? "the pool has no 'health'" : change.apply(health, status);
  }

  @Override
  public String configuration() {
    return ConfigurationPrinter.toYaml(shared.configuration());
  }

  @Override
  public Explanation explain(
      String listener,
      String command,
      String key,
      @Nullable String client,
      @Nullable String token) {
    return shared.graph().explainer().explain(listener, command, key, client, token);
  }

  @Override
  public String metrics() {
    return shared.metrics().scrape();
  }

  @Override
  public HotKeys.Snapshot hotKeys(int most) {
    return samples.hottest(most);
  }

  @Override
  public long droppedKeys() {
    return shared.metrics().samplesDropped(SampleKind.KEY);
  }

  @Override
  public Future<List<String>> reload() {
    return process.reload();
  }

  @Override
  public void drain() {
    var unused = process.drain();
  }
}
