package sluice.gateway.suite;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import sluice.gateway.fixtures.RealMemcached;

/**
 * Writes the configuration file of a test: listeners, each with a route of its own to a pool of its
 * own, everything in {@code allow} that the contract lets a listener allow.
 */
final class Topology {
  private static final String ALLOW_EVERYTHING =
      "[flush_all, verbosity, watch, lru_crawler, slabs, shutdown, debug, cache_memlimit]";

  private final List<String> listeners = new ArrayList<>();
  private final List<String> routes = new ArrayList<>();
  private final List<String> pools = new ArrayList<>();
  private String ofListeners = "";
  private String ofPools = "";

  /** One listener, {@code cache}, in front of these servers on a ketama ring. */
  static String of(RealMemcached... servers) {
    return new Topology().servers("cache", servers).yaml();
  }

  /** The same, with values compressed from 64 bytes on. */
  static String compressing(RealMemcached... servers) {
    Topology topology = new Topology();
    return topology.pool("cache", written("same", servers) + ", compression: {above: 64B}").yaml();
  }

  /** One listener, {@code cache}, in front of an embedded store. */
  static String embedded() {
    return new Topology().embeddedStore("cache").yaml();
  }

  /** A listener of this name in front of these servers, spoken to as their clients speak. */
  Topology servers(String name, RealMemcached... servers) {
    return servers(name, "same", servers);
  }

  /** A listener of this name in front of these servers, spoken to in a dialect. */
  Topology servers(String name, String dialect, RealMemcached... servers) {
    return pool(name, written(dialect, servers));
  }

  private static String written(String dialect, RealMemcached... servers) {
    String addresses =
        List.of(servers).stream()
            .map(RealMemcached::address)
            .map(Topology::written)
            .collect(Collectors.joining(", "));
    // A long timeout: what is slow here is the machine, and a timeout would only hide a lost reply.
    return "protocol: memcached, servers: ["
        + addresses
        + "], hash: {function: fnv1a_64, distribution: ketama}, timeout: 10s, dialect: "
        + dialect;
  }

  /** A listener of this name in front of an embedded store of its own. */
  Topology embeddedStore(String name) {
    return pool(name, "protocol: embedded, size: 16MiB");
  }

  /** What every later listener and pool has besides: a piece of YAML each, or nothing. */
  Topology with(String listener, String pool) {
    ofListeners = listener.isEmpty() ? "" : ", " + listener;
    ofPools = pool.isEmpty() ? "" : ", " + pool;
    return this;
  }

  private Topology pool(String name, String pool) {
    listeners.add(
        "  "
            + name
            + ": {bind: 127.0.0.1:0, protocol: memcached, route: "
            + name
            + ", allow: "
            + ALLOW_EVERYTHING
            + ofListeners
            + "}\n");
    routes.add("  " + name + ":\n    - pool: " + name + "\n");
    pools.add("  " + name + ": {" + pool + ofPools + "}\n");
    return this;
  }

  /** The configuration file. */
  String yaml() {
    return "admin: {bind: 127.0.0.1:0}\nlisteners:\n"
        + String.join("", listeners)
        + "routes:\n"
        + String.join("", routes)
        + "pools:\n"
        + String.join("", pools);
  }

  private static String written(InetSocketAddress address) {
    return '"' + address.getAddress().getHostAddress() + ":" + address.getPort() + '"';
  }
}
