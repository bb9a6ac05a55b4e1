package sluice.config.model;

import java.util.Optional;

/**
 * Where the servers of a pool are learned from.
 *
 * @param source who is asked
 * @param host the name that is asked for, or the host that is asked
 * @param port of the servers behind a name, or of the host that is asked; 0 where the answer has it
 * @param everyMillis how long after an answer the next one is asked for
 * @param minimum how many servers an answer must have, at least 1
 * @param nameServer who is asked in place of the system's name servers; of DNS only
 */
public record DiscoverConfig(
    DiscoverSource source,
    String host,
    int port,
    long everyMillis,
    int minimum,
    Optional<NodeName> nameServer) {
  /** Whether the same is asked of the same. */
  public boolean asksAs(DiscoverConfig other) {
    return source == other.source
        && host.equals(other.host)
        && port == other.port
        && nameServer.equals(other.nameServer);
  }

  /** What is asked for, as it is written in the configuration file. */
  public String name() {
    return source == DiscoverSource.SRV ? host : new Address.Tcp(host, port).label();
  }
}
