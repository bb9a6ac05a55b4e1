package sluice.gateway.admin;

import java.util.List;

/**
 * A pool as it runs.
 *
 * @param name its name in the configuration
 * @param protocol {@code memcached}, {@code ignite}, {@code internode} or {@code embedded}
 * @param servers in the configuration's or discovery's order
 */
public record PoolState(String name, String protocol, List<ServerState> servers) {

  /** Copies the list. */
  public PoolState {
    servers = List.copyOf(servers);
  }
}
