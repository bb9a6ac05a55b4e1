package sluice.config.importing;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.config.model.Address;
import sluice.config.schema.Scalars;
import sluice.config.yaml.Node;

/**
 * Importer of twemproxy files: keys and defaults as in {@code nc_conf.c} and {@code nc_conf.h} of
 * twemproxy 0.5.0.
 */
final class TwemproxyImport {
  /**
   * {@code host:port:weight}, parsed from its end because hosts may contain colons; or a socket's
   * path.
   */
  private static final Pattern SERVER =
      Pattern.compile(
          "(?:(?<path>/[^ :]*)|(?<host>[^ ]+):(?<port>[0-9]+)):(?<weight>[0-9]+)(?:"
              + " +(?<name>\\S+))?");

  private static final Set<String> NO_EQUIVALENT =
      Set.of("backlog", "redis", "redis_auth", "redis_db", "reuse_port", "preconnect");

  private static final long DEFAULT_RETRY_MILLIS = 30_000;
  private static final long DEFAULT_FAILURES = 2;
  private static final long MOST_CONNECTIONS = 64;
  private static final long HOUR_MILLIS = 3_600_000;
  private static final String DEFAULT_PORT = "11211";

  private final Remarks remarks;
  private final Map<String, Object> listeners = new LinkedHashMap<>();
  private final Map<String, Object> routes = new LinkedHashMap<>();
  private final Map<String, Object> pools = new LinkedHashMap<>();

  TwemproxyImport(Remarks remarks) {
    this.remarks = remarks;
  }

  /** The configuration; empty, with a remark, if the file has no pool of memcached servers. */
  Optional<Map<String, Object>> configuration(Node.Mapping root) {
    new Source(root, "").entries().forEach(this::pool);
    if (pools.isEmpty()) {
      remarks.add(root, "document", "found no pool of memcached servers");
      return Optional.empty();
    }
    Map<String, Object> file = new LinkedHashMap<>();
    file.put("listeners", listeners);
    file.put("routes", routes);
    file.put("pools", pools);
    return Optional.of(file);
  }

  private void pool(String written, Source pool) {
    if (pool.get("redis").map(Source::isTrue).orElse(false)) {
      remarks.add(
          pool.get("redis").get(), "no equivalent: this is a Redis pool, which is left out");
      return;
    }
    List<String> servers = servers(pool);
    if (servers.isEmpty()) {
      remarks.add(pool, "no server can be imported: the pool is left out");
      return;
    }
    String name = Names.fit(written, pools.keySet());
    if (!name.equals(written)) {
      remarks.add(pool, "no equivalent: Sluice does not allow this name; the pool becomes " + name);
    }
    Map<String, Object> made = new LinkedHashMap<>();
    Map<String, Object> listener = new LinkedHashMap<>();
    pool.get("listen").ifPresent(listen -> listener.put("bind", bind(listen)));
    listener.put("route", name);
    Map<String, Object> limits = new LinkedHashMap<>();
    pool.get("client_connections")
        .flatMap(Source::number)
        .filter(n -> n > 0)
        .ifPresent(n -> limits.put("connections", n));
    limits.put("itemSize", Import.ITEM_SIZE);
    listener.put("limits", limits);
    listener.put("allow", List.of()); // twemproxy supports none of these commands
    made.put("servers", servers);
    made.put("hash", hash(pool));
    timeout(pool, made);
    connections(pool, made);
    ejection(pool, made);
    remark(pool);
    listeners.put(name, listener);
    routes.put(name, List.of(Map.of("pool", name)));
    pools.put(name, made);
  }

  private String bind(Source listen) {
    String text = listen.text().orElse("");
    if (!text.startsWith("/")) {
      return Address.parse(text).isPresent() ? text : bracketed(text);
    }
    String[] parts = text.split(" +");
    if (parts.length > 1) {
      remarks.add(listen, "no equivalent: the socket's permissions, " + parts[1]);
    }
    return "unix:" + parts[0];
  }

  private static String bracketed(String address) {
    int colon = address.lastIndexOf(':');
    return colon < 0 ? address : "[" + address.substring(0, colon) + "]" + address.substring(colon);
  }

  /** Invalid servers are left out; twemproxy does not start with one. */
  private List<String> servers(Source pool) {
    Set<String> written = new LinkedHashSet<>();
    Set<String> unnamed = new HashSet<>();
    for (Source server : pool.get("servers").map(Source::items).orElse(List.of())) {
      Matcher matcher = SERVER.matcher(server.text().orElse(""));
      String text = matcher.matches() ? server(matcher) : "";
      if (!Scalars.isServer(text)) {
        remarks.add(
            server,
            "found " + server.shown() + ", expected host:port:weight [name]; it is left out");
        continue;
      }
      boolean again = !text.contains(" name=") && !unnamed.add(text.split(" ", 2)[0]);
      if (again || !written.add(text)) {
        remarks.add(server, "found " + server.shown() + " again; it is left out");
      }
    }
    return List.copyOf(written);
  }

  private static String server(Matcher matcher) {
    String path = matcher.group("path");
    String name = matcher.group("name");
    String address;
    if (path != null) {
      address = "unix:" + path;
    } else {
      String host = matcher.group("host");
      String port = matcher.group("port");
      address = (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
      if (name == null && !host.equals(host.toLowerCase(Locale.ROOT))) {
        // twemproxy hashes the name with its capitals, which do not matter for a host name.
        boolean isDefault = port.replaceFirst("^0+", "").equals(DEFAULT_PORT);
        name = isDefault ? host : host + ":" + port;
      }
    }
    String weight = matcher.group("weight");
    return address
        + (weight.equals("1") ? "" : " weight=" + weight)
        + (name == null ? "" : " name=" + name);
  }

  private Map<String, Object> hash(Source pool) {
    Map<String, Object> hash = new LinkedHashMap<>();
    Optional<Source> function = pool.get("hash");
    hash.put("function", function.flatMap(Source::text).orElse("fnv1a_64"));
    Optional<Source> distribution = pool.get("distribution");
    String how = distribution.flatMap(Source::text).orElse("ketama");
    if (how.equals("random")) {
      remarks.add(
          distribution.orElseThrow(),
          "no equivalent: random gives a key no fixed server; the result has ketama");
      how = "ketama";
    }
    hash.put("distribution", how);
    pool.get("hash_tag").flatMap(Source::text).ifPresent(tag -> hash.put("tag", tag));
    return hash;
  }

  private void timeout(Source pool, Map<String, Object> made) {
    Optional<Source> timeout = pool.get("timeout");
    Optional<Long> millis = timeout.flatMap(Source::number).filter(n -> n > 0);
    if (millis.isEmpty()) {
      remarks.add(
          timeout.orElse(pool),
          "no equivalent: twemproxy waits for servers forever; the default timeout of Sluice is "
              + "500ms");
      return;
    }
    made.put("timeout", Math.min(millis.get(), HOUR_MILLIS) + "ms");
  }

  private void connections(Source pool, Map<String, Object> made) {
    Map<String, Object> connections = new LinkedHashMap<>();
    Optional<Source> written = pool.get("server_connections");
    written
        .flatMap(Source::number)
        .filter(n -> n > 1)
        .ifPresent(
            n -> {
              if (n > MOST_CONNECTIONS) {
                remarks.add(written.get(), "too many: the result has " + MOST_CONNECTIONS);
              }
              connections.put("perEventLoop", Math.min(n, MOST_CONNECTIONS));
            });
    Object timeout = made.get("timeout");
    if (timeout != null) {
      connections.put("connectTimeout", timeout);
    }
    if (!connections.isEmpty()) {
      made.put("connections", connections);
    }
  }

  private void ejection(Source pool, Map<String, Object> made) {
    if (!pool.get("auto_eject_hosts").map(Source::isTrue).orElse(false)) {
      return;
    }
    long retry =
        pool.get("server_retry_timeout").flatMap(Source::number).orElse(DEFAULT_RETRY_MILLIS);
    Map<String, Object> health = new LinkedHashMap<>();
    health.put(
        "failures",
        pool.get("server_failure_limit").flatMap(Source::number).orElse(DEFAULT_FAILURES));
    health.put("ejectFor", retry + "ms.." + retry + "ms");
    health.put("maxEjected", "100%");
    made.put("health", health);
  }

  /** Remarks on the remaining settings, except those covered above and those that are off. */
  private void remark(Source pool) {
    pool.entries()
        .forEach(
            (key, value) -> {
              if (NO_EQUIVALENT.contains(key)
                  && !value.text().filter(t -> t.equals("false") || t.equals("0")).isPresent()) {
                remarks.add(value, "no equivalent: " + key + " " + value.shown());
              } else if (key.equals("tcpkeepalive") && value.isTrue()) {
                remarks.add(
                    value, "no equivalent: Sluice probes silent servers instead (probeAfter)");
              }
            });
  }
}
