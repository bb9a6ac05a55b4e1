package sluice.config.model;

import java.util.List;
import java.util.Optional;

/**
 * Servers that share keys, or the embedded store.
 *
 * @param name its key under {@code pools}
 * @param protocol what stands behind it
 * @param dialect what the servers are spoken to in
 * @param sizeBytes of the embedded store; 0 for any other pool
 * @param servers in the order written; empty for the embedded store, and where none has been
 *     discovered yet
 * @param discover where servers are learned from; empty if they are written
 * @param hash how keys are spread over the servers
 * @param connections to each of the servers
 * @param timeoutMillis of a request, from when it is sent
 * @param queueTimeoutMillis how long a request waits until it can be sent
 * @param onFailure what a read of many keys answers when one of its servers cannot
 * @param framing of internode: how messages to the server are wrapped
 * @param tls towards its servers; empty if they are spoken to without
 * @param compression of values; empty if they are stored as they come
 * @param values what becomes of values that are read; empty if they leave as they are
 * @param auth who the gateway is to its servers; empty if it does not log in
 * @param ignite of Ignite; empty for any other pool
 * @param health when servers are taken out for a while; empty if they are not
 * @param retries of reads; empty if none is asked again
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
    return new PoolConfig(
        name,
        protocol,
        dialect,
        sizeBytes,
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
