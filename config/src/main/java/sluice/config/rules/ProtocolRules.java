package sluice.config.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.model.Address;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.NodeName;
import sluice.config.model.PoolProtocol;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Checked.Fields;

/**
 * Internode and memcached do not mix: who speaks one of them has none of the other's keys, and a
 * route leads from one to the same. What was refused before is not judged again.
 */
final class InternodeRules {
  private static final List<String> MEMCACHED_LISTENER = List.of("dialects", "allow", "auth");
  private static final List<String> MEMCACHED_LIMITS =
      List.of("inFlight", "itemSize", "outBuffer", "stall", "maxAge");
  private static final List<String> INTERNODE_LIMITS = List.of("messageSize", "inFlightBytes");
  private static final List<String> MEMCACHED_MATCH =
      List.of("prefix", "commands", "dialects", "client", "token");
  private static final List<String> MEMCACHED_POOL =
      List.of(
          "dialect",
          "discover",
          "hash",
          "timeout",
          "queueTimeout",
          "multiGet",
          "compression",
          "values",
          "auth",
          "health",
          "retries");
  private static final List<String> MEMCACHED_CONNECTIONS =
      List.of("perEventLoop", "streams", "max", "idle", "probeAfter");
  private static final List<String> MEMCACHED_RULE =
      List.of(
          "key",
          "failover",
          "migrate",
          "ttl",
          "replicate",
          "shadow",
          "warmUp",
          "stripToken",
          "limit",
          "nearCache",
          "split");
  private static final String ONLY_MEMCACHED = "nothing here: internode has no such thing";
  private static final String ONLY_INTERNODE = "nothing here: only internode has it";

  private final Problems problems;

  InternodeRules(Problems problems) {
    this.problems = problems;
  }

  void check(Fields file) {
    Map<String, Checked> routes = file.get("routes").named();
    Map<String, Checked> pools = file.get("pools").named();
    file.get("listeners")
        .named()
        .values()
        .forEach(l -> listener(l.fields(), routes, pools, file.section("process")));
    routes.values().forEach(r -> route(r, pools));
    pools.values().forEach(p -> pool(p.fields()));
  }

  private void refuse(Checked at, String found, String expected) {
    problems.add(at.line(), at.column(), at.path(), found, expected);
  }

  private void refuseWritten(Fields section, List<String> keys, String expected) {
    keys.stream()
        .map(section::get)
        .filter(c -> c.written() && c.value().isPresent())
        .forEach(c -> refuse(c, c.shown(), expected));
  }

  private void listener(
      Fields listener, Map<String, Checked> routes, Map<String, Checked> pools, Fields process) {
    Optional<ListenerProtocol> protocol = listener.scalar("protocol", ListenerProtocol.class);
    if (protocol.isEmpty()) {
      return;
    }
    Fields limits = listener.section("limits");
    boolean internode = protocol.get() == ListenerProtocol.INTERNODE;
    if (internode) {
      refuseWritten(listener, MEMCACHED_LISTENER, ONLY_MEMCACHED);
      refuseWritten(limits, MEMCACHED_LIMITS, ONLY_MEMCACHED);
      bind(listener.get("bind"));
      Optional<Long> inFlight = limits.scalar("inFlightBytes", Long.class);
      Optional<Long> memory = process.scalar("memory", Long.class);
      if (inFlight.isPresent() && memory.isPresent() && inFlight.get() > memory.get()) {
        Checked at = limits.get("inFlightBytes");
        refuse(at, at.shown(), "at most process.memory, " + process.get("memory").shown());
      }
    } else {
      refuseWritten(listener, List.of("node", "peers", "strict"), ONLY_INTERNODE);
      refuseWritten(limits, INTERNODE_LIMITS, ONLY_INTERNODE);
    }
    Checked route = listener.get("route");
    Checked target = routes.get(listener.text("route"));
    if (target == null) {
      return;
    }
    Optional<Boolean> kind = isInternode(target, pools);
    if (kind.isPresent() && kind.get() != internode) {
      refuse(
          route,
          route.shown(),
          "a route to " + (internode ? "an internode pool" : "pools that are not internode"));
    } else if (internode && rejects(target) && !standsForANode(listener)) {
      refuse(
          listener.get("node"),
          "nothing",
          "the address by which nodes know this one: the route rejects messages in its name");
    }
  }

  private void bind(Checked bind) {
    if (!bind.written()) {
      refuse(bind, "nothing", "the address that nodes connect to, such as 10.0.0.1:7000");
    } else if (bind.value().filter(Address.Unix.class::isInstance).isPresent()) {
      refuse(bind, bind.shown(), "host:port: nodes connect over TCP");
    }
  }

  private static boolean standsForANode(Fields listener) {
    if (listener.get("node").written() || !listener.get("bind").written()) {
      return true; // or refused for what it says
    }
    // Port 0 becomes a real one when it is bound.
    return listener
        .scalar("bind", Address.class)
        .map(a -> !(a instanceof Address.Tcp tcp) || new Address.Tcp(tcp.host(), 1).isNode())
        .orElse(true);
  }

  private static boolean rejects(Checked route) {
    return route.items().stream().anyMatch(r -> r.fields().get("reject").written());
  }

  /** Which of the two a route is of, by the first pool that is known; else by its verbs. */
  private static Optional<Boolean> isInternode(Checked route, Map<String, Checked> pools) {
    boolean unknown = false;
    for (Checked rule : route.items()) {
      Checked name = rule.fields().get("pool");
      if (name.written()) {
        Optional<Boolean> kind = isInternodePool(name, pools);
        if (kind.isPresent()) {
          return kind;
        }
        unknown = true;
      }
    }
    boolean verbs =
        route.items().stream().anyMatch(r -> r.fields().section("match").get("verbs").written());
    return unknown ? Optional.empty() : Optional.of(verbs);
  }

  private static Optional<Boolean> isInternodePool(Checked name, Map<String, Checked> pools) {
    return name.value()
        .map(pools::get)
        .flatMap(p -> p.fields().scalar("protocol", PoolProtocol.class))
        .map(PoolProtocol.INTERNODE::equals);
  }

  private void route(Checked route, Map<String, Checked> pools) {
    Optional<Boolean> internode = isInternode(route, pools);
    if (internode.isEmpty()) {
      return;
    }
    for (Checked checked : route.items()) {
      Fields rule = checked.fields();
      Checked pool = rule.get("pool");
      if (isInternodePool(pool, pools).filter(k -> !k.equals(internode.get())).isPresent()) {
        refuse(
            pool,
            pool.shown(),
            (internode.get() ? "an internode pool" : "a pool that is not internode")
                + ", as in the rules before it");
      } else if (internode.get()) {
        internodeRule(rule);
      } else {
        refuseWritten(rule.section("match"), List.of("verbs"), ONLY_INTERNODE);
        refuseWritten(rule, List.of("addresses"), ONLY_INTERNODE);
      }
    }
    boolean ends = route.items().stream().anyMatch(r -> r.fields().get("pool").written());
    if (internode.get() && !ends && !route.items().isEmpty()) {
      refuse(route, "rules without a pool", "a last rule with the pool of all links");
    }
  }

  /** One link leads to one server: rules before the last can only take messages out of it. */
  private void internodeRule(Fields rule) {
    Fields match = rule.section("match");
    refuseWritten(match, MEMCACHED_MATCH, ONLY_MEMCACHED);
    refuseWritten(rule, MEMCACHED_RULE, ONLY_MEMCACHED);
    addresses(rule);
    Checked verbs = match.get("verbs");
    Checked reject = rule.get("reject");
    if (rule.get("pool").written() && !reject.written()) {
      if (verbs.written() && verbs.value().isPresent()) {
        refuse(
            verbs, verbs.shown(), "nothing here: a link leads to one pool, whatever its messages");
      }
    } else if (reject.written() && !verbs.written()) {
      refuse(reject, reject.shown(), "match.verbs beside it");
    }
  }

  /** One to one over both maps, or what was replaced could not be found again. */
  private void addresses(Fields rule) {
    Checked addresses = rule.get("addresses");
    if (!addresses.written() || addresses.value().isEmpty()) {
      return;
    }
    if (rule.get("reject").written()) {
      refuse(addresses, addresses.shown(), "no addresses beside reject: nothing is sent on");
      return;
    }
    List<Checked> pairs = new ArrayList<>(addresses.fields().get("from").items());
    pairs.addAll(addresses.fields().get("to").items());
    for (int i = 0; i < pairs.size(); i++) {
      Fields pair = pairs.get(i).fields();
      if (pair.has("key") && pair.has("value")) {
        ports(pair);
        List<Checked> before = pairs.subList(0, i);
        once(pair.get("key"), before, "key", "each address replaced once");
        once(pair.get("value"), before, "value", "each address in the place of one");
      }
    }
  }

  private void ports(Fields pair) {
    NodeName from = pair.value("key", NodeName.class);
    Checked to = pair.get("value");
    if (from.hasPort() != ((NodeName) to.value().orElseThrow()).hasPort()) {
      refuse(
          to,
          to.shown(),
          "an address " + (from.hasPort() ? "with" : "without") + " a port, as before it");
    }
  }

  private void once(Checked address, List<Checked> before, String side, String expected) {
    NodeName name = (NodeName) address.value().orElseThrow();
    before.stream()
        .map(pair -> pair.fields().get(side))
        .filter(other -> other.value().filter(o -> ((NodeName) o).overlaps(name)).isPresent())
        .findFirst()
        .ifPresent(
            other ->
                refuse(address, address.shown(), expected + ": " + other.path() + " is the same"));
  }

  private void pool(Fields pool) {
    Optional<PoolProtocol> protocol = pool.scalar("protocol", PoolProtocol.class);
    if (protocol.isEmpty()) {
      return;
    }
    if (protocol.get() != PoolProtocol.INTERNODE) {
      refuseWritten(pool, List.of("framing"), ONLY_INTERNODE);
      return;
    }
    refuseWritten(pool, MEMCACHED_POOL, ONLY_MEMCACHED);
    refuseWritten(pool.section("connections"), MEMCACHED_CONNECTIONS, ONLY_MEMCACHED);
    List<Checked> servers = pool.get("servers").items();
    if (servers.size() > 1) {
      Checked second = servers.get(1);
      refuse(
          second,
          second.shown(),
          "one server: a link stands for one node, so each node has a listener, a route and a"
              + " pool");
    }
  }
}
