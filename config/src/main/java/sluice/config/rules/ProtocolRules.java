package sluice.config.rules;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.model.Address;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.PoolProtocol;
import sluice.config.problems.Problems;
import sluice.config.routing.MatchSection;
import sluice.config.routing.RuleKeys;
import sluice.config.routing.RuleSection;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.sections.LimitsSection;
import sluice.config.sections.ListenerSection;
import sluice.config.sections.PoolSection;
import sluice.config.sections.ProcessSection;

/**
 * Checks that protocols do not mix: a section has only keys of its own protocol, and a route
 * connects listeners and pools of the same one. Settings that were already refused are not judged
 * again.
 */
final class ProtocolRules {
  private final Problems problems;
  private final Meanings meanings;

  ProtocolRules(Problems problems) {
    this.problems = problems;
    meanings = new Meanings(problems);
  }

  void check(Fields file) {
    file.named(FileSection.LISTENERS).values().forEach(l -> listener(Fields.of(l), file));
    Map<String, Checked<Fields>> pools = file.named(FileSection.POOLS);
    file.named(FileSection.ROUTES).values().forEach(route -> route(route, pools));
    pools.values().forEach(pool -> pool(Fields.of(pool)));
  }

  private void listener(Fields listener, Fields file) {
    Optional<ListenerProtocol> protocol = listener.optional(ListenerSection.PROTOCOL);
    if (protocol.isEmpty()) {
      return;
    }
    boolean internode = protocol.get() == ListenerProtocol.INTERNODE;
    Fields limits = listener.section(ListenerSection.LIMITS);
    meanings.check(listener, ListenerSection.protocol(protocol.get()));
    meanings.check(limits, ListenerSection.protocol(protocol.get()));
    if (internode) {
      bind(listener.get(ListenerSection.BIND));
      Checked<Long> inFlight = limits.get(LimitsSection.IN_FLIGHT_BYTES);
      Checked<Long> memory = file.section(FileSection.PROCESS).get(ProcessSection.MEMORY);
      if (inFlight.value().isPresent()
          && memory.value().isPresent()
          && inFlight.value().get() > memory.value().get()) {
        inFlight.refuse(problems, "at most process.memory, " + memory.shown());
      }
    }
    Checked<String> name = listener.get(ListenerSection.ROUTE);
    Checked<List<Checked<Fields>>> route =
        name.value().map(file.named(FileSection.ROUTES)::get).orElse(null);
    if (route == null) {
      return;
    }
    Optional<Boolean> kind = isInternode(rules(route), file.named(FileSection.POOLS));
    if (kind.isPresent() && kind.get() != internode) {
      name.refuse(
          problems,
          "a route to " + (internode ? "an internode pool" : "pools that are not internode"));
    } else if (internode && rejects(rules(route)) && !standsForANode(listener)) {
      listener
          .get(ListenerSection.NODE)
          .refuse(
              problems,
              "nothing",
              "the address that other nodes use for this node: its route rejects messages");
    }
    if (protocol.get() == ListenerProtocol.IGNITE) {
      refuseStores(name, rules(route), file.named(FileSection.POOLS));
    }
  }

  private static List<Checked<Fields>> rules(Checked<List<Checked<Fields>>> route) {
    return route.value().orElse(List.of());
  }

  private void bind(Checked<Address> bind) {
    if (!bind.written()) {
      bind.refuse(problems, "nothing", "the address that nodes connect to, such as 10.0.0.1:7000");
    } else if (bind.value().filter(Address.Unix.class::isInstance).isPresent()) {
      bind.refuse(problems, "host:port: nodes connect over TCP");
    }
  }

  private static boolean standsForANode(Fields listener) {
    if (listener.isWritten(ListenerSection.NODE) || !listener.isWritten(ListenerSection.BIND)) {
      return true; // or its value was refused
    }
    // Port 0 becomes a real one when it is bound.
    return listener
        .optional(ListenerSection.BIND)
        .map(a -> !(a instanceof Address.Tcp tcp) || new Address.Tcp(tcp.host(), 1).isNode())
        .orElse(true);
  }

  private static boolean rejects(List<Checked<Fields>> rules) {
    return rules.stream().anyMatch(rule -> Fields.of(rule).isWritten(RuleKeys.REJECT));
  }

  /** The embedded store does not speak Ignite's dialect. */
  private void refuseStores(
      Checked<String> route, List<Checked<Fields>> rules, Map<String, Checked<Fields>> pools) {
    boolean leadsToStore =
        rules.stream()
            .flatMap(rule -> RuleSection.pools(Fields.of(rule)).stream())
            .flatMap(name -> name.value().map(pools::get).stream())
            .anyMatch(pool -> PoolSection.isOf(Fields.of(pool), PoolProtocol.EMBEDDED));
    if (leadsToStore) {
      route.refuse(problems, "a route without embedded pools: they do not speak Ignite's dialect");
    }
  }

  /**
   * Whether a route is for internode, judging by its first known pool or else by its verbs; empty
   * if neither shows it.
   */
  private static Optional<Boolean> isInternode(
      List<Checked<Fields>> rules, Map<String, Checked<Fields>> pools) {
    boolean unknown = false;
    for (Checked<Fields> rule : rules) {
      Checked<String> name = Fields.of(rule).get(RuleKeys.POOL);
      if (name.written()) {
        Optional<Boolean> kind = isInternodePool(name, pools);
        if (kind.isPresent()) {
          return kind;
        }
        unknown = true;
      }
    }
    boolean verbs =
        rules.stream()
            .map(rule -> Fields.of(rule).section(MatchSection.KEY))
            .anyMatch(match -> match.isWritten(MatchSection.VERBS));
    return unknown ? Optional.empty() : Optional.of(verbs);
  }

  private static Optional<Boolean> isInternodePool(
      Checked<String> name, Map<String, Checked<Fields>> pools) {
    return name.value()
        .map(pools::get)
        .flatMap(pool -> Fields.of(pool).optional(PoolSection.PROTOCOL))
        .map(PoolProtocol.INTERNODE::equals);
  }

  private void route(Checked<List<Checked<Fields>>> route, Map<String, Checked<Fields>> pools) {
    List<Checked<Fields>> rules = rules(route);
    Optional<Boolean> internode = isInternode(rules, pools);
    if (internode.isEmpty()) {
      return;
    }
    for (Checked<Fields> checked : rules) {
      Fields rule = Fields.of(checked);
      Checked<String> pool = rule.get(RuleKeys.POOL);
      PoolProtocol protocol = internode.get() ? PoolProtocol.INTERNODE : PoolProtocol.MEMCACHED;
      if (isInternodePool(pool, pools).filter(kind -> !kind.equals(internode.get())).isPresent()) {
        pool.refuse(
            problems,
            (internode.get() ? "an internode pool" : "a pool that is not internode")
                + ", as in the rules before it");
        continue;
      }
      meanings.check(rule.section(MatchSection.KEY), protocol);
      meanings.check(rule, protocol);
      if (internode.get()) {
        new InternodeRules(problems).check(rule);
      }
    }
    boolean ends = rules.stream().anyMatch(r -> Fields.of(r).isWritten(RuleKeys.POOL));
    if (internode.get() && !ends && !rules.isEmpty()) {
      route.refuse(problems, "rules without a pool", "a last rule with the pool of all links");
    }
  }

  private void pool(Fields pool) {
    Optional<PoolProtocol> protocol = pool.optional(PoolSection.PROTOCOL);
    if (protocol.isEmpty()) {
      return;
    }
    meanings.check(pool, protocol.get());
    if (protocol.get() == PoolProtocol.INTERNODE) {
      meanings.check(pool.section(PoolSection.CONNECTIONS), protocol.get());
      List<? extends Checked<?>> servers = pool.items(PoolSection.SERVERS);
      if (servers.size() > 1) {
        servers
            .get(1)
            .refuse(
                problems,
                "one server: a link stands for one node, so each node has a listener, a route and a"
                    + " pool");
      }
    }
  }
}
