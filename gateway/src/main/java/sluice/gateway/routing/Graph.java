package sluice.gateway.routing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import sluice.config.model.Address;
import sluice.config.model.Configuration;
import sluice.config.model.HedgeConfig;
import sluice.config.model.ListenerConfig;
import sluice.config.model.MatchConfig;
import sluice.config.model.MigrateConfig;
import sluice.config.model.PoolConfig;
import sluice.config.model.PoolProtocol;
import sluice.config.model.Reads;
import sluice.config.model.ReplicateConfig;
import sluice.config.model.RouteConfig;
import sluice.config.model.RuleConfig;
import sluice.config.model.ServerConfig;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.route.Action;
import sluice.gateway.route.Migration;
import sluice.gateway.route.Route;
import sluice.gateway.route.Rule;
import sluice.gateway.route.VerbRoute;
import sluice.gateway.route.hash.Member;
import sluice.gateway.route.hash.Ring;
import sluice.gateway.time.Clocks;
import sluice.names.Command;
import sluice.names.Labelled;
import sluice.names.Verb;

/** Builder of routes and rings from the configuration. */
public final class Graph {
  private final Configuration configuration;
  private final List<String> pools;
  private final Limits limits;
  private final InstantSource clock;

  public Graph(Configuration configuration) {
    this(configuration, new Limits(), Clocks.steady());
  }

  /**
   * A builder whose rules use existing rate limits where there are some.
   *
   * @param clock of migrations
   */
  Graph(Configuration configuration, Limits limits, InstantSource clock) {
    this.clock = clock;
    this.configuration = configuration;
    this.limits = limits;
    this.pools = new ArrayList<>(configuration.pools().keySet());
  }

  /** Whether a route is one of links. */
  boolean isInternode(RouteConfig route) {
    return route.rules().stream()
        .flatMap(rule -> rule.pool().stream())
        .anyMatch(p -> configuration.pool(p).protocol() == PoolProtocol.INTERNODE);
  }

  /** A route of links: {@code check} ensures that it leads to one pool. */
  static VerbRoute verbRoute(RouteConfig route) {
    List<VerbRoute.Rejection> rejections =
        route.rules().stream()
            .flatMap(
                rule ->
                    rule.reject().stream()
                        .map(text -> new VerbRoute.Rejection(verbs(rule.match()), text)))
            .toList();
    String pool =
        route.rules().stream().flatMap(rule -> rule.pool().stream()).findFirst().orElseThrow();
    return new VerbRoute(route.name(), rejections, pool);
  }

  private static Set<Verb> verbs(MatchConfig match) {
    return match.verbs().stream().map(Verb::named).collect(Collectors.toSet());
  }

  public Route route(RouteConfig route) {
    List<RuleConfig> rules = route.rules();
    return new Route(
        route.name(),
        IntStream.range(0, rules.size())
            .mapToObj(i -> rule(route.name(), i, rules.get(i)))
            .toList());
  }

  private Rule rule(String route, int index, RuleConfig rule) {
    Set<Command> commands =
        rule.match().commands().stream()
            .map(label -> Labelled.named(Command.class, label))
            .collect(Collectors.toSet());
    KeyRewrite rewrite =
        rule.key().isUnchanged()
            ? null
            : new KeyRewrite(rule.key().strip().getBytes(UTF_8), rule.key().add().getBytes(UTF_8));
    return new Rule(
        index,
        rule.match().prefix().getBytes(UTF_8),
        commands,
        rule.match().dialects(),
        rule.match().client().orElse(null),
        rule.match().token().map(token -> token.getBytes(UTF_8)).orElse(null),
        rule.stripToken(),
        rule.reject().map(Action::reject).orElseGet(() -> action(route, rule, rewrite)));
  }

  private Action action(String route, RuleConfig rule, @Nullable KeyRewrite rewrite) {
    return new Action(
        rule.pool().map(pools::indexOf).orElse(-1),
        rewrite,
        null,
        rule.migrate().map(this::migration).orElse(null),
        rule.failover().stream()
            .flatMap(failover -> failover.pools().stream())
            .mapToInt(pools::indexOf)
            .toArray(),
        rule.failover().map(failover -> seconds(failover.maxTtlMillis())).orElse(0L),
        rule.ttl()
            .map(
                ttl ->
                    new Action.Lifetimes(
                        seconds(ttl.minMillis()),
                        seconds(ttl.maxMillis()),
                        ttl.jitterPercent() / 100.0))
            .orElse(null),
        rule.replicate().map(this::replication).orElse(null),
        rule.shadow()
            .map(s -> new Action.Shadow(pools.indexOf(s.pool()), s.percent() / 100.0))
            .orElse(null),
        rule.warm().map(pools::indexOf).orElse(-1),
        rule.policy(HedgeConfig.class).map(this::hedge).orElse(null),
        limits.of(route, rule),
        rule.split().map(s -> new Action.Chunks(s.aboveBytes(), s.flag())).orElse(null));
  }

  private Action.Hedge hedge(HedgeConfig hedge) {
    return new Action.Hedge(
        pools.indexOf(hedge.to()),
        hedge.after().millis(),
        hedge.after().percentile(),
        hedge.budget());
  }

  private Action.Replication replication(ReplicateConfig replicate) {
    Action.Acks acks =
        switch (replicate.acks()) {
          case ALL -> Action.Acks.ALL;
          case ONE -> Action.Acks.ONE;
          case MAJORITY -> Action.Acks.MAJORITY;
        };
    return new Action.Replication(
        replicate.pools().stream().skip(1).mapToInt(pools::indexOf).toArray(),
        acks,
        replicate.reads() == Reads.NEAREST);
  }

  private static long seconds(long millis) {
    return TimeUnit.MILLISECONDS.toSeconds(millis);
  }

  private Migration migration(MigrateConfig migrate) {
    MigrateConfig.Period period = migrate.period().orElse(new MigrateConfig.Period(0, 0));
    return new Migration(
        pools.indexOf(migrate.to()),
        migrate.percent(),
        period.fromMillis(),
        period.untilMillis(),
        clock::millis);
  }

  /**
   * The ring of a pool when all its servers have their keys; null if it has one server, or none
   * yet.
   */
  public static @Nullable Ring ring(PoolConfig pool) {
    return ring(pool, Map.of());
  }

  /**
   * The ring of a pool.
   *
   * @param joinedAt when servers joined that do not have all their keys yet, by their identity, in
   *     {@link System#nanoTime}'s nanoseconds
   */
  static @Nullable Ring ring(PoolConfig pool, Map<String, Long> joinedAt) {
    return pool.servers().size() <= 1 ? null : ring(pool, pool.servers(), joinedAt);
  }

  /** The ring of some of a pool's servers. */
  static Ring ring(PoolConfig pool, List<ServerConfig> servers, Map<String, Long> joinedAt) {
    return Ring.of(
        pool.hash().function(),
        pool.hash().distribution(),
        pool.hash().tag().orElse(""),
        servers.stream().map(Graph::member).toList(),
        joinedAt,
        TimeUnit.MILLISECONDS.toNanos(pool.hash().slowStartMillis()),
        Clocks::nanos);
  }

  /**
   * A member by its identity alone, unless it has a name: a discovered server may have any address.
   */
  private static Member member(ServerConfig server) {
    Address named =
        server.named() ? server.address() : Address.parse(server.identity()).orElseThrow();
    if (named instanceof Address.Tcp tcp) {
      return new Member(server.identity(), tcp.host(), tcp.port(), server.weight());
    }
    String path = ((Address.Unix) named).path();
    return new Member(server.identity(), path, 0, server.weight());
  }

  /** The largest item that listeners in front of an embedded pool accept, in bytes. */
  long itemSize(String pool) {
    return configuration.listeners().values().stream()
        .filter(listener -> leadsTo(listener, pool))
        .mapToLong(listener -> listener.limits().itemSizeBytes())
        .max()
        .orElse(1024 * 1024);
  }

  private boolean leadsTo(ListenerConfig listener, String pool) {
    return configuration.route(listener.route()).rules().stream()
        .anyMatch(rule -> rule.pools().contains(pool));
  }
}
