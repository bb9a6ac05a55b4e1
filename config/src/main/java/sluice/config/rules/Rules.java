package sluice.config.rules;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import sluice.config.files.AuthFiles;
import sluice.config.files.TlsFiles;
import sluice.config.model.Address;
import sluice.config.model.MatchConfig;
import sluice.config.model.PoolProtocol;
import sluice.config.model.ServerConfig;
import sluice.config.problems.Nearest;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Checked.Fields;
import sluice.names.Distribution;

/**
 * What a file of the right shape must not say either. Whatever was refused before is not judged
 * again.
 */
public final class Rules {
  private static final List<String> FOR_SERVERS =
      List.of(
          "servers",
          "discover",
          "hash",
          "connections",
          "timeout",
          "queueTimeout",
          "multiGet",
          "dialect",
          "compression",
          "values",
          "tls",
          "auth",
          "health",
          "retries");

  private static final int DEFAULT_PORT = 11_211;

  private final Problems problems;
  private final TlsFiles tlsFiles;
  private final AuthFiles authFiles;

  /** An address and who claimed it. */
  private record Claim(String path, Address address) {}

  /**
   * @param problems gets what is wrong
   * @param tlsFiles reads what {@code tls} sections name
   * @param authFiles reads what {@code auth} sections name
   */
  public Rules(Problems problems, TlsFiles tlsFiles, AuthFiles authFiles) {
    this.problems = problems;
    this.tlsFiles = tlsFiles;
    this.authFiles = authFiles;
  }

  /** Makes every check of the file. */
  public void check(Fields file) {
    Map<String, Checked> routes = file.get("routes").named();
    Map<String, Checked> pools = file.get("pools").named();
    addresses(file);
    new InternodeRules(problems).check(file);
    new RoutingRules(problems).check(file);
    file.get("listeners")
        .named()
        .values()
        .forEach(l -> listener(l.fields(), routes, pools, file.section("process")));
    routes.values().forEach(r -> route(r, pools.keySet()));
    pools.values().forEach(this::pool);
    new IgniteRules(problems).check(file);
    new ValueRules(problems).check(file);
    new DiscoverRules(problems).check(file);
    new TlsRules(problems, tlsFiles).check(file);
    new AuthRules(problems, authFiles).check(file);
  }

  private void refuse(Checked at, String expected) {
    refuse(at, at.shown(), expected);
  }

  private void refuse(Checked at, String found, String expected) {
    problems.add(at.line(), at.column(), at.path(), found, expected);
  }

  private void addresses(Fields file) {
    List<Claim> claims = new ArrayList<>();
    List<Checked> binds = new ArrayList<>();
    binds.add(file.section("admin").get("bind"));
    file.get("listeners").named().values().forEach(l -> binds.add(l.fields().get("bind")));
    for (Checked bind : binds) {
      if (bind.value().isEmpty()) {
        continue;
      }
      Address address = (Address) bind.value().get();
      Optional<Claim> taken = claims.stream().filter(c -> clash(c.address(), address)).findFirst();
      taken.ifPresent(c -> refuse(bind, "an address that " + c.path() + " leaves free"));
      claims.add(new Claim(bind.path(), address));
    }
  }

  private static boolean clash(Address one, Address other) {
    if (one instanceof Address.Tcp a && other instanceof Address.Tcp b) {
      boolean sameHost = a.host().equals(b.host()) || a.isWildcard() || b.isWildcard();
      return a.port() != 0 && a.port() == b.port() && sameHost;
    }
    return one.equals(other);
  }

  private void listener(
      Fields listener, Map<String, Checked> routes, Map<String, Checked> pools, Fields process) {
    Checked route = listener.get("route");
    reference(route, routes.keySet(), "routes");
    repeated(listener.get("dialects"));
    repeated(listener.get("allow"));
    Fields limits = listener.section("limits");
    Optional<Long> memory = process.scalar("memory", Long.class);
    Optional<Long> outBuffer = limits.scalar("outBuffer", Long.class);
    if (outBuffer.isPresent() && memory.isPresent() && outBuffer.get() > memory.get()) {
      refuse(limits.get("outBuffer"), "at most process.memory, " + process.get("memory").shown());
    }
    route
        .value()
        .map(routes::get)
        .ifPresent(
            r ->
                r.items()
                    .forEach(
                        rule -> {
                          fits(limits, rule.fields(), pools);
                          splitsAny(limits, rule.fields());
                        }));
  }

  /** Values that are refused before they are long enough to be split are no use of it. */
  private void splitsAny(Fields limits, Fields rule) {
    Checked split = rule.get("split");
    Optional<Long> itemSize = limits.scalar("itemSize", Long.class);
    if (!split.written() || itemSize.isEmpty()) {
      return;
    }
    split
        .fields()
        .scalar("above", Long.class)
        .filter(above -> above >= itemSize.get() && above <= RuleFields.WHOLE_IN_MEMCACHED)
        .ifPresent(
            above ->
                problems.warn(
                    split,
                    split.path(),
                    split.shown(),
                    "less than "
                        + limits.get("itemSize").path()
                        + ", "
                        + limits.get("itemSize").shown()
                        + ": no value is longer"));
  }

  /**
   * An embedded store that cannot hold the largest item that is let in would empty itself for
   * nothing.
   */
  private void fits(Fields limits, Fields rule, Map<String, Checked> pools) {
    RuleFields.pools(rule).stream()
        .map(name -> pools.get(name.value().orElse("")))
        .filter(pool -> pool != null && RuleFields.isEmbedded(pool.fields()))
        .forEach(pool -> fits(limits, pool));
  }

  private void fits(Fields limits, Checked pool) {
    Optional<Long> itemSize = limits.scalar("itemSize", Long.class);
    Optional<Long> size = pool.fields().scalar("size", Long.class);
    if (itemSize.isPresent() && size.isPresent() && itemSize.get() > size.get()) {
      Checked poolSize = pool.fields().get("size");
      refuse(limits.get("itemSize"), "at most " + poolSize.path() + ", " + poolSize.shown());
    }
  }

  private void reference(Checked name, Set<String> defined, String section) {
    if (name.value().isEmpty() || defined.contains(name.value().get())) {
      return;
    }
    String suggestion =
        name.written()
            ? Nearest.to(name.value().get().toString(), defined)
                .map(n -> " (did you mean " + n + "?)")
                .orElse("")
            : "";
    refuse(name, "the name of one of the '" + section + "'" + suggestion);
  }

  private void repeated(Checked list) {
    Map<Object, Checked> seen = new HashMap<>();
    for (Checked item : list.items()) {
      item.value()
          .map(v -> seen.putIfAbsent(v, item))
          .ifPresent(earlier -> refuse(item, "each only once: " + earlier.path() + " is the same"));
    }
  }

  private void route(Checked route, Set<String> pools) {
    List<Checked> rules = route.items();
    for (int i = 0; i < rules.size(); i++) {
      // A rule that is no mapping was refused already, and matches nothing.
      if (rules.get(i).value().isPresent()) {
        rule(rules.get(i), pools);
        reachable(rules.get(i), rules.subList(0, i));
      }
    }
  }

  private void rule(Checked checked, Set<String> pools) {
    Fields rule = checked.fields();
    boolean toPool = rule.get("pool").written();
    boolean rejected = rule.get("reject").written();
    boolean replicated = rule.get("replicate").written();
    boolean warmed = rule.get("warmUp").written();
    if ((toPool || replicated || warmed) && rejected) {
      refuse(rule.get("reject"), "no reject beside a pool");
    }
    if (toPool && replicated) {
      refuse(rule.get("replicate"), "no replicate beside a pool");
    }
    if (warmed && (toPool || replicated)) {
      refuse(rule.get("warmUp"), "no warmUp beside a pool or replicate");
    }
    if (!toPool && !rejected && !replicated && !warmed) {
      refuse(checked, "a rule without pool, replicate, warmUp and reject", "one of them");
    }
    reference(rule.get("pool"), pools, "pools");
    Fields match = rule.section("match");
    repeated(match.get("commands"));
    repeated(match.get("dialects"));
    repeated(match.get("verbs"));
    if (!rule.get("key").written()) {
      return;
    }
    if (rejected) {
      refuse(rule.get("key"), "no key beside reject: nothing is sent on");
    }
    Fields key = rule.section("key");
    Checked strip = key.get("strip");
    boolean judged = strip.value().isPresent() && !isRefused(match.get("prefix"));
    if (judged && !match.text("prefix").startsWith(key.text("strip"))) {
      String prefix =
          match.has("prefix") ? match.get("prefix").shown() : "a match.prefix to be written";
      refuse(strip, "what match.prefix begins with: " + prefix);
    }
  }

  private static boolean isRefused(Checked checked) {
    return checked.written() && checked.value().isEmpty();
  }

  private void reachable(Checked rule, List<Checked> earlier) {
    if (isPartlyRefused(rule)) {
      return;
    }
    MatchConfig match = RuleFields.match(rule.fields().section("match"));
    for (Checked before : earlier) {
      boolean known = before.value().isPresent() && !isPartlyRefused(before);
      if (known && RuleFields.match(before.fields().section("match")).covers(match)) {
        refuse(
            rule,
            "a rule that no request reaches",
            "rules that " + before.path() + " leaves something for");
        return;
      }
    }
  }

  /** A match that says something else than it was meant to. */
  private static boolean isPartlyRefused(Checked rule) {
    Checked match = rule.fields().get("match");
    return match.value().isEmpty()
        || match.fields().byKey().values().stream()
            .anyMatch(
                c -> isRefused(c) || (c.value().orElse("") instanceof List<?> && anyRefused(c)));
  }

  private static boolean anyRefused(Checked list) {
    return list.items().stream().anyMatch(Rules::isRefused);
  }

  private void pool(Checked checked) {
    Fields pool = checked.fields();
    if (pool.scalar("protocol", PoolProtocol.class).isEmpty()) {
      return;
    }
    if (RuleFields.isEmbedded(pool)) {
      FOR_SERVERS.stream()
          .map(pool::get)
          .filter(Checked::written)
          .forEach(c -> refuse(c, "nothing here: an embedded pool has no servers"));
      return;
    }
    if (pool.get("size").written()) {
      refuse(pool.get("size"), "nothing here: only an embedded pool has a size");
    }
    if (!pool.get("servers").written() && !pool.get("discover").written()) {
      refuse(pool.get("servers"), "a list of servers");
    }
    connections(pool.section("connections"));
    servers(pool.get("servers"));
    names(pool);
    if (distribution(pool) == Distribution.CH3) {
      ch3(pool);
    }
  }

  private void connections(Fields connections) {
    boolean shared = connections.scalar("max", Long.class).orElse(0L) > 0;
    if (shared && connections.get("perEventLoop").written()) {
      refuse(
          connections.get("perEventLoop"),
          "nothing here: max says how many connections all event loops have together");
    }
  }

  private static Distribution distribution(Fields pool) {
    return pool.section("hash")
        .scalar("distribution", Distribution.class)
        .orElse(Distribution.KETAMA);
  }

  /** Two servers that are one to a ring would be one to metrics and to the admin port, too. */
  private void names(Fields pool) {
    Map<String, Checked> seen = new HashMap<>();
    for (Checked server : pool.get("servers").items()) {
      server
          .value()
          .map(v -> seen.putIfAbsent(ringName((ServerConfig) v, distribution(pool)), server))
          .filter(earlier -> isNamed(server) || isNamed(earlier))
          .ifPresent(
              earlier ->
                  refuse(server, "another name than " + earlier.path() + " has on the ring"));
    }
  }

  private static boolean isNamed(Checked server) {
    return ((ServerConfig) server.value().orElseThrow()).named();
  }

  /**
   * twemproxy and libmemcached leave out the port 11211, and write Unix sockets in ways of their
   * own: docs/hashing.md, names of servers.
   */
  private static String ringName(ServerConfig server, Distribution distribution) {
    String identity = server.identity();
    String socketEnd =
        switch (distribution) {
          case KETAMA, MODULA -> ":";
          case KETAMA_LIBMEMCACHED, KETAMA_LIBMEMCACHED_WEIGHTED, MODULA_LIBMEMCACHED -> ":0";
          case JUMP, RENDEZVOUS, MAGLEV, CH3 -> "";
        };
    boolean itsAddress = !server.named() || identity.equals(server.address().label());
    if (socketEnd.isEmpty() || !itsAddress) {
      return identity;
    }
    if (server.address() instanceof Address.Unix socket) {
      return socket.path() + socketEnd;
    }
    Address.Tcp tcp = (Address.Tcp) server.address();
    return tcp.port() == DEFAULT_PORT ? tcp.host() : identity;
  }

  /** It hashes keys itself, and knows servers by their places only. */
  private void ch3(Fields pool) {
    Checked function = pool.section("hash").get("function");
    if (function.written()) {
      refuse(function, "nothing beside ch3, which has a function of its own");
    }
    for (Checked server : pool.get("servers").items()) {
      if (server.value().map(v -> ((ServerConfig) v).weight() > 1).orElse(false)) {
        refuse(server, "no weight: ch3 knows none");
      }
    }
  }

  /** Under another name a server may stand there again: its names share its keys. */
  private void servers(Checked servers) {
    Map<Address, Checked> seen = new HashMap<>();
    for (Checked server : servers.items()) {
      server
          .value()
          .map(v -> seen.putIfAbsent(((ServerConfig) v).address(), server))
          .filter(earlier -> !isNamed(server) && !isNamed(earlier))
          .ifPresent(
              earlier ->
                  refuse(server, "each server only once: " + earlier.path() + " is the same"));
    }
  }
}
