package sluice.config.model;

import java.util.Optional;

/**
 * TLS towards the servers of a pool, whose certificates are always verified.
 *
 * @param ca authorities that may sign them; empty for the Java runtime's own
 * @param identity the gateway's certificate and key; empty if it presents none
 * @param serverName name that a server's certificate must contain, also sent as SNI; empty for the
 *     host of the server's address
 */
public record PoolTlsConfig(
    Optional<TlsAuthorities> ca, Optional<TlsIdentity> identity, Optional<String> serverName) {}
