package sluice.config.model;

import java.util.List;
import java.util.Optional;

/**
 * Pool: servers that share a key space, or the embedded store.
 *
 * @param name its key under {@code pools}
 * @param protocol of its servers
 * @param dialect that is used with the servers
 * @param sizeBytes of the embedded store; 0 for any other pool
 * @param servers in the order written; empty for the embedded store, and until servers are
 *     discovered
 * @param discover how servers are discovered; empty if the file lists them
 * @param hash how keys are distributed over the servers
 * @param connections to each of the servers
 * @param timeoutMillis of a request, counted from when it is sent
 * @param queueTimeoutMillis how long a request may wait to be sent
 * @param onFailure reply to a read of many keys when one of its servers fails
 * @param framing for internode: framing of messages to the server
 * @param tls towards its servers; empty for none
 * @param compression of values; empty if they are stored unchanged
 * @param values how values are changed when they are read; empty if they are not
 * @param auth login to its servers; empty for none
 * @param ignite settings for Ignite; empty for any other pool
 * @param health when servers are ejected; empty if they are not
 * @param retries of reads; empty for none
 */
public record PoolConfig(
    String name,
    PoolProtocol protocol,
    PoolDialect dialect,
    long sizeBytes,
    List<ServerConfig> servers,
    Optional<DiscoverConfig> discover,
    HashConfig hash,
    ConnectionsConfig connections,
    long timeoutMillis,
    long queueTimeoutMillis,
    OnFailure onFailure,
    InternodeFraming framing,
    Optional<PoolTlsConfig> tls,
    Optional<CompressionConfig> compression,
    Optional<ValuesConfig> values,
    Optional<PoolAuthConfig> auth,
    Optional<IgniteConfig> ignite,
    Optional<HealthConfig> health,
    Optional<RetriesConfig> retries) {
  /** Takes a copy of the servers. */
  public PoolConfig {
    servers = List.copyOf(servers);
  }

  /** The same pool with other servers. */
  public PoolConfig with(List<ServerConfig> others) {
    return with(sizeBytes, others);
  }

  /** The same pool with an embedded store of another size. */
  public PoolConfig withSize(long bytes) {
    return with(bytes, servers);
  }

  private PoolConfig with(long bytes, List<ServerConfig> others) {
    return new PoolConfig(
        name,
        protocol,
        dialect,
        bytes,
        others,
        discover,
        hash,
        connections,
        timeoutMillis,
        queueTimeoutMillis,
        onFailure,
        framing,
        tls,
        compression,
        values,
        auth,
        ignite,
        health,
        retries);
  }
}
