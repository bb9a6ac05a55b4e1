package sluice.config.model;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checked configuration, with all defaults. Immutable; all names that it refers to exist.
 *
 * @param admin the admin port
 * @param process settings of the whole process
 * @param metrics metrics of the whole process
 * @param listeners by name, in the order written
 * @param routes by name, in the order written
 * @param pools by name, in the order written
 * @param logs of individual requests
 * @param references for the path of each scalar that came from the environment or another file, the
 *     scalar as written: printed in place of its value
 */
public record Configuration(
    AdminConfig admin,
    ProcessConfig process,
    MetricsConfig metrics,
    Map<String, ListenerConfig> listeners,
    Map<String, RouteConfig> routes,
    Map<String, PoolConfig> pools,
    LogsConfig logs,
    Map<String, String> references) {
  /** Takes copies of the maps. */
  public Configuration {
    listeners = Ordered.copyOf(listeners);
    routes = Ordered.copyOf(routes);
    pools = Ordered.copyOf(pools);
    references = Ordered.copyOf(references);
  }

  /**
   * A copy with other servers for some pools.
   *
   * @param servers by pool; other pools keep theirs
   */
  public Configuration withServers(Map<String, List<ServerConfig>> servers) {
    Map<String, PoolConfig> changed = new LinkedHashMap<>();
    pools.forEach(
        (name, pool) ->
            changed.put(name, servers.containsKey(name) ? pool.with(servers.get(name)) : pool));
    return new Configuration(admin, process, metrics, listeners, routes, changed, logs, references);
  }

  /**
   * The pool with this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public PoolConfig pool(String name) {
    return known(pools, "pool", name);
  }

  /**
   * The route with this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public RouteConfig route(String name) {
    return known(routes, "route", name);
  }

  private static <T> T known(Map<String, T> all, String kind, String name) {
    T found = all.get(name);
    if (found == null) {
      throw new IllegalArgumentException("no " + kind + " " + name);
    }
    return found;
  }

  /** Names only: the record's own text would reveal what {@link #references} suppresses. */
  @Override
  public String toString() {
    return "Configuration[listeners="
        + listeners.keySet()
        + ", routes="
        + routes.keySet()
        + ", pools="
        + pools.keySet()
        + "]";
  }
}
