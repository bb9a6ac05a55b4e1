package sluice.gateway.admin;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of a running pool.
 *
 * @param name its name in the configuration
 * @param protocol {@code memcached}, {@code ignite}, {@code internode} or {@code embedded}
 * @param discovery state of the discovery; null if the servers are in the configuration
 * @param ejects whether its servers can be ejected: not without {@code health}
 * @param servers in the configuration's or discovery's order
 */
public record PoolState(
    String name,
    String protocol,
    @Nullable Discovery discovery,
    boolean ejects,
    List<ServerState> servers) {

  /** Copies the list. */
  public PoolState {
    servers = List.copyOf(servers);
  }

  /**
   * State of a pool's discovery.
   *
   * @param from the source and the query
   * @param answered time of the last accepted answer; null if there is none
   * @param problem why the latest answer was not accepted; empty if it was
   * @param since when answers began to be accepted, or to be refused
   * @param remark what was left out of the last accepted answer; empty for nothing
   */
  public record Discovery(
      String from, @Nullable Instant answered, String problem, Instant since, String remark) {}
}
