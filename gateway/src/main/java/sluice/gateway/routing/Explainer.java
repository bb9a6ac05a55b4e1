package sluice.gateway.routing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.text.TextLine;
import sluice.config.PolicyExplanation;
import sluice.config.model.Configuration;
import sluice.config.model.DiscoverConfig;
import sluice.config.model.ExplainedRequest;
import sluice.config.model.ListenerConfig;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.PoolConfig;
import sluice.config.model.PoolDialect;
import sluice.config.model.PoolProtocol;
import sluice.config.model.RuleConfig;
import sluice.gateway.admin.Explanation;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.route.Action;
import sluice.gateway.route.Migration;
import sluice.gateway.route.Route;
import sluice.gateway.route.Rule;
import sluice.gateway.route.VerbRoute;
import sluice.gateway.route.hash.Ring;
import sluice.gateway.time.Clocks;
import sluice.names.Command;
import sluice.names.Dialect;
import sluice.names.Labelled;
import sluice.names.Verb;

/**
 * Explanation of the route that a request would take, by the configuration alone, without a server.
 */
public final class Explainer {
  private final Configuration configuration;
  private final InstantSource clock;

  /** Explanations of what a gateway would do that started now. */
  public Explainer(Configuration configuration) {
    this(configuration, Clocks.steady());
  }

  /**
   * Explanations of what a gateway does.
   *
   * @param clock of its migrations
   */
  public Explainer(Configuration configuration, InstantSource clock) {
    this.configuration = configuration;
    this.clock = clock;
  }

  /**
   * The route of a request, or of an internode message: then command is its verb, and key has no
   * meaning.
   *
   * @param client name in the client's certificate; null for one without
   * @param token a token of a meta request, letter included; null for one without
   * @throws IllegalArgumentException if there is no such listener or command, if the command has no
   *     key, or if key is invalid
   */
  public Explanation explain(
      String listenerName,
      String commandName,
      String key,
      @Nullable String client,
      @Nullable String token) {
    ListenerConfig listener = configuration.listeners().get(listenerName);
    if (listener == null) {
      throw new IllegalArgumentException(
          "listener: found "
              + listenerName
              + ", expected one of "
              + String.join(", ", configuration.listeners().keySet()));
    }
    if (listener.protocol() == ListenerProtocol.INTERNODE) {
      return explainMessage(listener, commandName);
    }
    Command command;
    try {
      command = Labelled.named(Command.class, commandName);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "command: found " + commandName + ", expected a memcached command such as get", e);
    }
    if (!command.hasKey()) {
      throw new IllegalArgumentException(
          "command: found "
              + commandName
              + ", expected a command with a key such as get: others have no single server");
    }
    ByteBuf bytes = Unpooled.copiedBuffer(key, UTF_8);
    if (!bytes.isReadable() || bytes.readableBytes() > 250 || key.indexOf(' ') >= 0) {
      throw new IllegalArgumentException(
          "key: found "
              + (key.isEmpty() ? "nothing" : bytes.readableBytes() > 250 ? "a longer one" : key)
              + ", expected 1 to 250 bytes without spaces");
    }
    return explain(listener, command, bytes, client, line(command, token));
  }

  /** A line with the token; null if there is none. */
  private static @Nullable TextLine line(Command command, @Nullable String token) {
    if (token == null) {
      return null;
    }
    if (dialect(command) != Dialect.META || !token.matches("[PL][!-~]*")) {
      throw new IllegalArgumentException(
          "token: found " + token + ", expected P or L and more, of a meta command such as mg");
    }
    ByteBuf line = Unpooled.copiedBuffer("mg key " + token, UTF_8);
    TextLine view = new TextLine();
    view.wrap(line, 0, line.writerIndex());
    return view;
  }

  private Explanation explain(
      ListenerConfig listener,
      Command command,
      ByteBuf key,
      @Nullable String client,
      @Nullable TextLine line) {
    Graph graph = new Graph(configuration, new Limits(), clock);
    List<RuleConfig> rules = configuration.route(listener.route()).rules();
    Route route = graph.route(configuration.route(listener.route()));
    Dialect dialect = dialect(command);
    int to = key.writerIndex();
    List<String> why = new ArrayList<>();
    why.add("listener " + listener.name() + " has route " + route.name());
    if (client != null) {
      why.add("the client's certificate names " + client);
    }
    Rule found =
        route
            .seenBy(client == null ? Set.of() : Set.of(client))
            .find(command, dialect, key, 0, to, line);
    int index = route.rules().indexOf(found);
    for (int i = 0; i < (found == null ? route.rules().size() : index); i++) {
      why.add("rule " + i + " does not match: " + text(listener, i));
    }
    if (found == null) {
      why.add("no rule matches: the request is refused");
      return new Explanation(null, null, null, null, List.of(), why);
    }
    String rule = index + ": " + text(listener, index);
    why.add("rule " + rule + " matches");
    if (found.reject() != null) {
      why.add("it rejects with \"" + found.reject() + "\"");
      return new Explanation(rule, null, null, null, List.of(), why);
    }
    if (line != null && found.strippedToken(line) >= 0) {
      why.add("token " + line.string(found.strippedToken(line)) + " is removed");
    }
    ByteBuf sent = key;
    KeyRewrite rewrite = found.rewrite();
    if (rewrite != null && rewrite.fits(key, 0, to)) {
      sent = Unpooled.buffer();
      rewrite.toServer(key, 0, to, sent);
      why.add("the key becomes " + sent.toString(UTF_8));
    }
    List<PoolConfig> pools = List.copyOf(configuration.pools().values());
    Action action = found.action();
    PoolConfig pool = pools.get(action.pool());
    Migration migration = action.migration();
    if (migration != null) {
      boolean moved = migration.hasMoved(key, 0, to);
      String other = pools.get(migration.pool()).name();
      why.add("the key has " + (moved ? "" : "not ") + "moved to pool " + other);
      pool = moved ? pools.get(migration.pool()) : pool;
    }
    List<String> fallbacks = new ArrayList<>();
    ExplainedRequest request = request(sent, why, fallbacks);
    PolicyExplanation.explain(rules.get(index), request);
    if (pool.dialect() != PoolDialect.SAME) {
      why.add("pool " + pool.name() + " uses " + pool.dialect().label() + " with its servers");
    }
    String server = server(pool, sent, why);
    PolicyExplanation.explainOtherPools(rules.get(index), request);
    if (fallbacks.isEmpty() && pool.health().isPresent()) {
      why.add(
          pool.health().get().rehash()
              ? "while that server is ejected, another server has the key in pool " + pool.name()
              : "while that server is ejected, requests for the key fail");
    }
    return new Explanation(rule, sent.toString(UTF_8), pool.name(), server, fallbacks, why);
  }

  private ExplainedRequest request(ByteBuf key, List<String> why, List<String> fallbacks) {
    return new ExplainedRequest() {
      @Override
      public void say(String sentence) {
        why.add(sentence);
      }

      @Override
      public String place(String pool) {
        return server(configuration.pool(pool), key, why);
      }

      @Override
      public void placeAlso(String pool) {
        fallbacks.add(pool + ": " + place(pool));
      }
    };
  }

  private Explanation explainMessage(ListenerConfig listener, String verbName) {
    Verb verb = Verb.named(verbName);
    if (verb == null) {
      throw new IllegalArgumentException(
          "command: found "
              + verbName
              + ", expected a verb as Cassandra calls it such as READ_REQ");
    }
    VerbRoute route = Graph.verbRoute(configuration.route(listener.route()));
    List<String> why = new ArrayList<>();
    why.add("listener " + listener.name() + " has route " + route.name());
    int rejected = route.rule(verb);
    int last = configuration.route(listener.route()).rules().size() - 1;
    int index = rejected == VerbRoute.PASSED ? last : rejected;
    for (int i = 0; i < index; i++) {
      why.add("rule " + i + " does not match: " + text(listener, i));
    }
    String rule = index + ": " + text(listener, index);
    why.add("rule " + rule + " matches");
    if (rejected != VerbRoute.PASSED) {
      why.add("it rejects the message: \"" + route.reject(rejected) + "\"");
      return new Explanation(rule, null, null, null, List.of(), why);
    }
    PoolConfig pool = configuration.pool(route.pool());
    why.add("every link leads to pool " + pool.name() + ", framing " + pool.framing().label());
    return new Explanation(
        rule, null, pool.name(), pool.servers().get(0).identity(), List.of(), why);
  }

  private static String server(PoolConfig pool, ByteBuf key, List<String> why) {
    if (pool.protocol() == PoolProtocol.EMBEDDED) {
      why.add("pool " + pool.name() + " is an embedded store");
      return "embedded";
    }
    if (pool.servers().isEmpty()) {
      DiscoverConfig discover = pool.discover().orElseThrow();
      why.add(
          "pool "
              + pool.name()
              + " has no servers yet: they are discovered by "
              + discover.source().label()
              + " "
              + discover.name());
      return "none yet";
    }
    Ring ring = Graph.ring(pool);
    if (ring == null) {
      why.add("pool " + pool.name() + " has one server");
      return pool.servers().get(0).identity();
    }
    int index = ring.serverOf(key, 0, key.readableBytes());
    String server = pool.servers().get(index).identity();
    why.add(
        "pool "
            + pool.name()
            + " places the key by "
            + pool.hash().function().label()
            + " and "
            + pool.hash().distribution().label()
            + " on "
            + server);
    return server;
  }

  private static Dialect dialect(Command command) {
    return switch (command) {
      case MG, MS, MD, MA, MN, ME -> Dialect.META;
      default -> Dialect.TEXT;
    };
  }

  private String text(ListenerConfig listener, int index) {
    return conditions(configuration, listener.route(), index);
  }

  /**
   * The conditions of a route's rule, for people. What came from the environment or another file is
   * shown as its reference, never as its value.
   */
  public static String conditions(Configuration configuration, String route, int index) {
    RuleConfig rule = configuration.route(route).rules().get(index);
    String match = "routes." + route + '[' + index + "].match.";
    List<String> parts = new ArrayList<>();
    if (!rule.match().prefix().isEmpty()) {
      parts.add("prefix \"" + shown(configuration, match + "prefix", rule.match().prefix()) + "\"");
    }
    if (!rule.match().commands().isEmpty()) {
      parts.add("commands " + String.join(", ", rule.match().commands()));
    }
    if (!rule.match().dialects().isEmpty()) {
      parts.add("dialects " + rule.match().dialects().stream().map(Dialect::label).toList());
    }
    rule.match()
        .client()
        .ifPresent(client -> parts.add("client " + shown(configuration, match + "client", client)));
    rule.match()
        .token()
        .ifPresent(token -> parts.add("token " + shown(configuration, match + "token", token)));
    if (!rule.match().verbs().isEmpty()) {
      parts.add("verbs " + String.join(", ", rule.match().verbs()));
    }
    return parts.isEmpty() ? "everything" : String.join(" and ", parts);
  }

  private static String shown(Configuration configuration, String path, String value) {
    String reference = configuration.references().getOrDefault(path, "");
    return reference.isEmpty() ? value : reference;
  }
}
