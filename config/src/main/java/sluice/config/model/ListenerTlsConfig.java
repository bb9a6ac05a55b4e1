package sluice.config.model;

import java.util.Optional;

/**
 * TLS towards a listener's clients.
 *
 * @param identity the listener's certificate and key
 * @param clientCa authorities that may sign clients' certificates; present unless none is requested
 * @param clientAuth whether clients must present a certificate
 * @param plain whether clients may also connect without TLS
 */
public record ListenerTlsConfig(
    TlsIdentity identity,
    Optional<TlsAuthorities> clientCa,
    ClientAuth clientAuth,
    boolean plain) {}
