package sluice.config.importing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.config.model.Address;
import sluice.config.schema.Scalars;

/**
 * Importer of the pools in an mcrouter file, which follows mcrouter's {@code PoolFactory} and
 * {@code AccessPoint}.
 */
final class McrouterPools {
  /** The default of mcrouter's option server-timeout. */
  private static final String DEFAULT_TIMEOUT = "1000ms";

  private static final Set<String> UNDERSTOOD =
      Set.of(
          "servers",
          "protocol",
          "server_timeout",
          "connect_timeout",
          "inherit",
          "name",
          "type",
          "security_mech",
          "use_ssl",
          "port_override",
          "hash");

  private final Remarks remarks;
  private final Map<String, Source> defined = new LinkedHashMap<>();
  private final Map<String, String> names = new LinkedHashMap<>();
  private final Map<String, Object> made = new LinkedHashMap<>();

  /** A server in the file, and its address in Sluice's form. */
  private record Server(Source at, String address) {}

  McrouterPools(Remarks remarks, Source file) {
    this.remarks = remarks;
    file.get("pools").ifPresent(pools -> defined.putAll(pools.entries()));
  }

  Map<String, Object> made() {
    return made;
  }

  /**
   * The new name of a pool that a handle names or contains; null, with a remark, if it is no pool.
   */
  @Nullable String pool(Source reference, Optional<Source> hash) {
    String name = name(reference);
    Optional<Source> definition = definition(reference);
    if (definition.isEmpty()) {
      remarks.add(reference, "no such pool: " + name + "; left out");
      return null;
    }
    String key = name + " " + hash.map(McrouterPools::describe).orElse("");
    String known = names.get(key);
    return known != null ? known : make(key, name, definition.get(), hash);
  }

  /** Pools of one server each, for each server of a pool. */
  List<String> servers(Source reference) {
    List<String> ofOne = new ArrayList<>();
    Optional<Source> definition = definition(reference);
    if (definition.isEmpty()) {
      remarks.add(reference, "no such pool: " + name(reference) + "; left out");
      return ofOne;
    }
    Map<String, Source> fields = inherited(definition.get());
    for (Server server : servers(fields)) {
      String key = name(reference) + " " + server.at().path();
      ofOne.add(
          names.computeIfAbsent(
              key,
              k -> {
                String name = Names.fit(name(reference) + "-" + (ofOne.size() + 1), made.keySet());
                Map<String, Object> pool = new LinkedHashMap<>();
                pool.put("servers", List.of(server.address()));
                settings(fields, pool);
                made.put(name, pool);
                return name;
              }));
    }
    return ofOne;
  }

  private static String name(Source reference) {
    return reference.text().or(() -> reference.get("name").flatMap(Source::text)).orElse("pool");
  }

  private Optional<Source> definition(Source reference) {
    return reference.text().isPresent()
        ? Optional.ofNullable(defined.get(reference.text().get()))
        : Optional.of(reference).filter(r -> r.get("servers").isPresent());
  }

  private Map<String, Source> inherited(Source pool) {
    Map<String, Source> fields = new LinkedHashMap<>(pool.entries());
    Set<Source> seen = new LinkedHashSet<>(Set.of(pool));
    Optional<Source> next = pool.get("inherit");
    while (next.isPresent()) {
      Source parent = next.flatMap(Source::text).map(defined::get).orElse(null);
      if (parent == null || !seen.add(parent)) {
        remarks.add(next.get(), "no pool to inherit from: " + next.get().shown());
        return fields;
      }
      parent.entries().forEach(fields::putIfAbsent);
      next = parent.get("inherit");
    }
    return fields;
  }

  /** The servers that a configuration accepts; others are remarked on and left out. */
  private List<Server> servers(Map<String, Source> fields) {
    List<Server> servers = new ArrayList<>();
    if (fields.containsKey("servers")) {
      for (Source server : fields.get("servers").items()) {
        String address = address(server, fields);
        if (Scalars.isServer(address)) {
          servers.add(new Server(server, address));
        } else {
          remarks.moves(
              server,
              "found "
                  + server.shown()
                  + ", expected host:port; it is left out, and most keys move to other servers");
        }
      }
    }
    return servers;
  }

  /** Names for repeated servers: each occurrence in the list has its own share of the keys. */
  private static List<String> distinct(List<Server> servers) {
    Set<String> distinct = new LinkedHashSet<>();
    for (Server server : servers) {
      String written = server.address();
      for (int n = 2; !distinct.add(written); n++) {
        written = server.address() + " name=" + server.address() + "-" + n;
      }
    }
    return List.copyOf(distinct);
  }

  /** Adds a pool; returns null, with a remark, if it has no servers. */
  private @Nullable String make(
      String known, String wanted, Source definition, Optional<Source> routeHash) {
    Map<String, Source> fields = inherited(definition);
    List<Server> servers = servers(fields);
    if (servers.isEmpty()) {
      remarks.add(definition, "a pool without servers: its requests are rejected");
      return null;
    }
    String name = Names.fit(wanted, made.keySet());
    names.put(known, name);
    Map<String, Object> pool = new LinkedHashMap<>();
    made.put(name, pool);
    pool.put("servers", distinct(servers));
    Optional<Source> hash = routeHash.or(() -> Optional.ofNullable(fields.get("hash")));
    if (servers.size() > 1) {
      pool.put("hash", Map.of("distribution", "ch3"));
      hash.ifPresent(this::hash);
    }
    settings(fields, pool);
    fields.forEach(
        (key, value) -> {
          if (!UNDERSTOOD.contains(key) && !value.text().filter("false"::equals).isPresent()) {
            remarks.add(value, "no equivalent: " + key + " " + value.shown());
          }
        });
    return name;
  }

  private static String describe(Source hash) {
    return hash.text().orElseGet(() -> hash.entries().toString());
  }

  private void hash(Source hash) {
    String function =
        hash.text().or(() -> hash.get("hash_func").flatMap(Source::text)).orElse("Ch3");
    if (!function.equals("Ch3")) {
      remarks.moves(
          hash,
          "no equivalent: mcrouter places keys by "
              + function
              + ", Sluice by ch3: most of them move to other servers");
    }
    hash.get("salt")
        .ifPresent(
            salt ->
                remarks.moves(
                    salt, "no equivalent: a salt; without it most keys move to other servers"));
  }

  private void settings(Map<String, Source> fields, Map<String, Object> pool) {
    millis(fields, "server_timeout")
        .ifPresentOrElse(
            timeout -> pool.put("timeout", timeout), () -> pool.put("timeout", DEFAULT_TIMEOUT));
    millis(fields, "connect_timeout")
        .ifPresent(timeout -> pool.put("connections", Map.of("connectTimeout", timeout)));
    // Equivalent of mcrouter's TKO: its options timeouts-until-tko, probe-timeout-initial and -max.
    Map<String, Object> health = new LinkedHashMap<>();
    health.put("failures", 3L);
    health.put("ejectFor", "10s..60s");
    health.put("maxEjected", "100%");
    health.put("rehash", false);
    pool.put("health", health);
    Source protocol = fields.get("protocol");
    if (protocol != null && !protocol.text().map("ascii"::equalsIgnoreCase).orElse(false)) {
      remarks.add(
          protocol, "no equivalent: " + protocol.shown() + "; the result uses classic text");
    }
    Source security = fields.get("security_mech");
    Source ssl = fields.get("use_ssl");
    Source told = security != null ? security : ssl;
    boolean tls =
        security != null
            ? !security.text().map("plain"::equalsIgnoreCase).orElse(true)
            : ssl != null && ssl.isTrue();
    if (tls && told != null) {
      pool.put("tls", Map.of());
      remarks.add(
          told, "certificates and authorities are on mcrouter's command line: tls has none");
    }
  }

  private static Optional<String> millis(Map<String, Source> fields, String key) {
    return Optional.ofNullable(fields.get(key))
        .flatMap(Source::number)
        .filter(n -> n > 0)
        .map(n -> n + "ms");
  }

  /**
   * {@code host:port}, {@code [IPv6]:port} or {@code unix:path}; mcrouter's further parts are not
   * needed.
   */
  private String address(Source server, Map<String, Source> fields) {
    String text =
        server.text().or(() -> server.get("hostname").flatMap(Source::text)).orElse("no-address");
    int start = text.startsWith("[") ? text.indexOf(']') + 1 : 0;
    boolean unix = text.startsWith(Address.UNIX);
    String[] parts = text.substring(unix ? Address.UNIX.length() : start).split(":", -1);
    int used = unix ? 1 : 2;
    for (int i = used; i < parts.length; i++) {
      if (!parts[i].isEmpty() && !Set.of("ascii", "plain").contains(parts[i])) {
        remarks.add(server, "no equivalent: \"" + parts[i] + "\"");
      }
    }
    if (unix) {
      return Address.UNIX + parts[0];
    }
    Optional<Long> override =
        Optional.ofNullable(fields.get("port_override")).flatMap(Source::number);
    String port = override.map(String::valueOf).orElse(parts.length > 1 ? parts[1] : "");
    String host = start > 0 ? text.substring(0, start) : parts[0];
    return (host.contains(":") ? host : host.replaceAll("[\\[\\]]", "")) + ":" + port;
  }
}
