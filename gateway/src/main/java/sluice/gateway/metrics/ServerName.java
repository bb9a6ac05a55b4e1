package sluice.gateway.metrics;

import java.util.Comparator;

/**
 * Identity of a server in metrics.
 *
 * @param pool the pool's name
 * @param server the server's identity: its name in the configuration, or its SRV name
 */
public record ServerName(String pool, String server) implements Comparable<ServerName> {
  private static final Comparator<ServerName> ORDER =
      Comparator.comparing(ServerName::pool).thenComparing(ServerName::server);

  @Override
  public int compareTo(ServerName other) {
    return ORDER.compare(this, other);
  }
}
