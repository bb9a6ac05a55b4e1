package sluice.config.model;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A checked configuration, every default filled in. Immutable; what it refers to by name is there.
 *
 * @param admin the admin port
 * @param process what holds for the whole process
 * @param listeners by name, in the order written
 * @param routes by name, in the order written
 * @param pools by name, in the order written
 * @param logs of single requests
 * @param references for the path of each scalar that came from the environment or another file, the
 *     scalar as written: what is shown in its place
 */
public record Configuration(
    AdminConfig admin,
    ProcessConfig process,
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
   * The same with the servers of some pools.
   *
   * @param servers by pool; those of others stay
   */
  public Configuration withServers(Map<String, List<ServerConfig>> servers) {
    Map<String, PoolConfig> changed = new LinkedHashMap<>();
    pools.forEach(
        (name, pool) ->
            changed.put(name, servers.containsKey(name) ? pool.with(servers.get(name)) : pool));
    return new Configuration(admin, process, listeners, routes, changed, logs, references);
  }

  /** Names alone: the record itself would show what {@link #references} hides. */
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
