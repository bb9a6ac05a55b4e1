package sluice.gateway.admin;

import java.time.Instant;
import java.util.List;

/**
 * A pool as it runs.
 *
 * @param name its name in the configuration
 * @param protocol {@code memcached}, {@code ignite}, {@code internode} or {@code embedded}
 * @param discovery how its servers are learned; null if the configuration has them
 * @param servers in the configuration's or discovery's order
 */
public record PoolState(
    String name, String protocol, Discovery discovery, List<ServerState> servers) {

  /** Copies the list. */
  public PoolState {
    servers = List.copyOf(servers);
  }

  /**
   * How servers are learned.
   *
   * @param from who is asked for what
   * @param answered when the last answer came that counted; null if none has
   * @param problem why the latest one did not count; empty if it did
   * @param since when the latest ones began to count, or to not count
   * @param remark what was left out of the last that counted; empty for nothing
   */
  public record Discovery(
      String from, Instant answered, String problem, Instant since, String remark) {}
}
