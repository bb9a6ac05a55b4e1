package sluice.config.rules;

import java.util.HashMap;
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
import sluice.config.sections.PoolSection;
import sluice.names.Distribution;

/** Checks of the settings about a pool's servers. */
final class PoolRules {
  private static final int DEFAULT_PORT = 11_211;

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
    Distribution distribution = distribution(pool);
    if (distribution == Distribution.CH3 || distribution == Distribution.PYMEMCACHE) {
      ownFunction(pool, distribution.label());
    }
  }

  private void connections(Fields connections) {
    boolean shared = connections.optional(ConnectionsSection.MAX).orElse(0) > 0;
    if (shared && connections.isWritten(ConnectionsSection.PER_EVENT_LOOP)) {
      connections
          .get(ConnectionsSection.PER_EVENT_LOOP)
          .refuse(
              problems,
              "nothing here: max says how many connections all event loops have together");
    }
  }

  private static Distribution distribution(Fields pool) {
    return pool.section(PoolSection.HASH)
        .optional(HashSection.DISTRIBUTION)
        .orElse(Distribution.KETAMA);
  }

  /** A server may occur again under another name: its names share its keys. */
  private void servers(Fields pool) {
    Map<Address, Checked<ServerConfig>> seen = new HashMap<>();
    for (Checked<ServerConfig> server : pool.items(PoolSection.SERVERS)) {
      server
          .value()
          .map(v -> seen.putIfAbsent(v.address(), server))
          .filter(earlier -> !isNamed(server) && !isNamed(earlier))
          .ifPresent(
              earlier ->
                  server.refuse(
                      problems, "each server only once: " + earlier.path() + " is the same"));
    }
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
          .filter(earlier -> isNamed(server) || isNamed(earlier))
          .ifPresent(
              earlier ->
                  server.refuse(
                      problems, "another name than " + earlier.path() + " has on the ring"));
    }
  }

  private static boolean isNamed(Checked<ServerConfig> server) {
    return server.value().orElseThrow().named();
  }

  /**
   * twemproxy and libmemcached leave out the port 11211, and write Unix sockets in their own ways:
   * docs/reference/hashing.md, names of servers.
   */
  private static String ringName(ServerConfig server, Distribution distribution) {
    String identity = server.identity();
    String socketEnd =
        switch (distribution) {
          case KETAMA, MODULA -> ":";
          case KETAMA_LIBMEMCACHED, KETAMA_LIBMEMCACHED_WEIGHTED, MODULA_LIBMEMCACHED -> ":0";
          case JUMP, RENDEZVOUS, MAGLEV, CH3, PYMEMCACHE, KETAMA_SPYMEMCACHED -> "";
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

  /** Distributions that hash keys themselves know no weights, either. */
  private void ownFunction(Fields pool, String distribution) {
    Checked<?> function = pool.section(PoolSection.HASH).get(HashSection.FUNCTION);
    if (function.written()) {
      function.refuse(
          problems, "nothing beside " + distribution + ", which has a function of its own");
    }
    for (Checked<ServerConfig> server : pool.items(PoolSection.SERVERS)) {
      if (server.value().filter(v -> v.weight() > 1).isPresent()) {
        server.refuse(problems, "no weight: " + distribution + " knows none");
      }
    }
  }
}
