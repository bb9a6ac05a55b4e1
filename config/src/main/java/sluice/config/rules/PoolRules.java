package sluice.config.rules;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.model.Address;
import sluice.config.model.PoolProtocol;
import sluice.config.model.ServerConfig;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.sections.ConnectionsSection;
import sluice.config.sections.HashSection;
import sluice.config.sections.HealthSection;
import sluice.config.sections.PoolSection;
import sluice.names.Distribution;
import sluice.names.RingName;

/** Checks of the settings about a pool's servers. */
final class PoolRules {
  private final Problems problems;

  PoolRules(Problems problems) {
    this.problems = problems;
  }

  void check(Fields file) {
    file.named(FileSection.POOLS).values().forEach(pool -> pool(Fields.of(pool)));
  }

  private void pool(Fields pool) {
    Optional<PoolProtocol> protocol = pool.optional(PoolSection.PROTOCOL);
    if (protocol.isEmpty() || protocol.get() == PoolProtocol.EMBEDDED) {
      return;
    }
    if (!pool.isWritten(PoolSection.SERVERS) && !pool.isWritten(PoolSection.DISCOVER)) {
      pool.get(PoolSection.SERVERS).refuse(problems, "a list of servers");
    }
    connections(pool.section(PoolSection.CONNECTIONS));
    servers(pool);
    names(pool);
    ejections(pool);
    Distribution distribution = distribution(pool);
    size(pool, distribution);
    if (distribution == Distribution.CH3 || distribution == Distribution.PYMEMCACHE) {
      ownFunction(pool, distribution.label());
    }
  }

  private void connections(Fields connections) {
    boolean shared = connections.optional(ConnectionsSection.MAX).orElse(0) > 0;
    if (shared && connections.isWritten(ConnectionsSection.PER_EVENT_LOOP)) {
      connections
          .get(ConnectionsSection.PER_EVENT_LOOP)
          .refuse(problems, "nothing here: max sets the connections of all event loops together");
    }
  }

  /** A limit that is less than one server keeps all of them in the pool. */
  private void ejections(Fields pool) {
    Optional<Fields> health = pool.written(PoolSection.HEALTH);
    int servers = pool.items(PoolSection.SERVERS).size(); // 0: they are discovered
    if (health.isEmpty() || servers == 0) {
      return;
    }
    Checked<Integer> most = health.get().get(HealthSection.MAX_EJECTED);
    if (most.value().filter(percent -> (long) servers * percent / 100 == 0).isPresent()) {
      int least = (100 + servers - 1) / servers;
      most.warn(
          problems,
          least
              + "% or more: less ejects none of "
              + (servers == 1 ? "1 server" : servers + " servers"));
    }
  }

  private static Distribution distribution(Fields pool) {
    return pool.section(PoolSection.HASH)
        .optional(HashSection.DISTRIBUTION)
        .orElse(Distribution.KETAMA);
  }

  /** A server may occur again under another name; its names share its keys. */
  private void servers(Fields pool) {
    Map<Address, Checked<ServerConfig>> seen = new HashMap<>();
    for (Checked<ServerConfig> server : pool.items(PoolSection.SERVERS)) {
      server
          .value()
          .filter(v -> !v.named())
          .map(v -> seen.putIfAbsent(v.address(), server))
          .ifPresent(
              earlier ->
                  server.refuse(
                      problems, "each server only once: " + earlier.path() + " is the same"));
    }
  }

  private static boolean isRepeated(Checked<ServerConfig> server, Checked<ServerConfig> earlier) {
    return server
        .value()
        .map(ServerConfig::address)
        .equals(earlier.value().map(ServerConfig::address));
  }

  /**
   * Two servers with one identity on the ring would also be one in metrics and on the admin port.
   */
  private void names(Fields pool) {
    Map<String, Checked<ServerConfig>> seen = new HashMap<>();
    for (Checked<ServerConfig> server : pool.items(PoolSection.SERVERS)) {
      server
          .value()
          .map(v -> seen.putIfAbsent(ringName(v, distribution(pool)), server))
          .filter(earlier -> isNamed(server) || isNamed(earlier) || !isRepeated(server, earlier))
          .ifPresent(
              earlier ->
                  server.refuse(
                      problems, "a name other than that of " + earlier.path() + " on the ring"));
    }
  }

  private static boolean isNamed(Checked<ServerConfig> server) {
    return server.value().orElseThrow().named();
  }

  private static String ringName(ServerConfig server, Distribution distribution) {
    RingName name =
        server.address() instanceof Address.Tcp tcp
            ? new RingName(server.identity(), tcp.host(), tcp.port())
            : new RingName(server.identity(), ((Address.Unix) server.address()).path(), 0);
    return name.in(distribution);
  }

  /** Limits of the rings of a distribution. */
  private void size(Fields pool, Distribution distribution) {
    List<Checked<ServerConfig>> servers = pool.items(PoolSection.SERVERS);
    if (distribution == Distribution.MAGLEV && servers.size() > Distribution.MOST_IN_MAGLEV) {
      pool.get(PoolSection.SERVERS)
          .refuse(problems, "at most " + Distribution.MOST_IN_MAGLEV + " servers with maglev");
    }
    boolean sumsWeights = distribution == Distribution.MODULA || distribution == Distribution.JUMP;
    long weights =
        servers.stream()
            .flatMap(server -> server.value().stream())
            .mapToLong(ServerConfig::weight)
            .sum();
    if (sumsWeights && weights > Integer.MAX_VALUE) {
      pool.get(PoolSection.SERVERS)
          .refuse(
              problems,
              "weights with a sum of at most "
                  + Integer.MAX_VALUE
                  + " with "
                  + distribution.label());
    }
  }

  /** Distributions that hash keys themselves have no weights, either. */
  private void ownFunction(Fields pool, String distribution) {
    Checked<?> function = pool.section(PoolSection.HASH).get(HashSection.FUNCTION);
    if (function.written()) {
      function.refuse(problems, "nothing here: " + distribution + " has its own hash function");
    }
    for (Checked<ServerConfig> server : pool.items(PoolSection.SERVERS)) {
      if (server.value().filter(v -> v.weight() > 1).isPresent()) {
        server.refuse(problems, "no weight: " + distribution + " does not support weights");
      }
    }
  }
}
