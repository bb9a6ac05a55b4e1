package sluice.config.model;

import java.util.Optional;

/**
 * TLS towards the servers of a pool, whose certificates are always verified.
 *
 * @param ca who may sign them; empty if it is whom the Java runtime trusts
 * @param identity who the gateway is to them; empty if it shows no certificate
 * @param serverName what a server's certificate must name, and what is asked for; empty if it is
 *     the host of the server's address
 */
public record PoolTlsConfig(
    Optional<TlsAuthorities> ca, Optional<TlsIdentity> identity, Optional<String> serverName) {}
