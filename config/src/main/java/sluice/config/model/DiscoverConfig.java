package sluice.config.model;

import java.util.Optional;

/**
 * Discovery of a pool's servers.
 *
 * @param source the kind of query
 * @param host the name to resolve, or the host to ask
 * @param port of the servers behind a name, or of the host to ask; 0 if the answer contains it
 * @param everyMillis time from an answer to the next query
 * @param minimum number of servers that an answer must have, at least 1
 * @param nameServer used in place of the system's name servers; for DNS only
 */
public record DiscoverConfig(
    DiscoverSource source,
    String host,
    int port,
    long everyMillis,
    int minimum,
    Optional<NodeName> nameServer) {
  /** The most servers that an answer may have; one with more changes nothing. */
  public static final int MOST_SERVERS = 1024;

  /** Whether the other sends the same queries to the same place. */
  public boolean asksAs(DiscoverConfig other) {
    return source == other.source
        && host.equals(other.host)
        && port == other.port
        && nameServer.equals(other.nameServer);
  }

  /** The name or host that is queried, as it is written in the configuration file. */
  public String name() {
    return source == DiscoverSource.SRV ? host : new Address.Tcp(host, port).label();
  }
}
