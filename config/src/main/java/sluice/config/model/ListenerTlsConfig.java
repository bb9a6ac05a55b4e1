package sluice.config.model;

import java.util.Optional;

/**
 * TLS towards those who connect to a listener.
 *
 * @param identity who the listener is to them
 * @param clientCa who may sign their certificates; there unless none is asked for
 * @param clientAuth whether they must show one
 * @param plain whether they may come without TLS as well
 */
public record ListenerTlsConfig(
    TlsIdentity identity,
    Optional<TlsAuthorities> clientCa,
    ClientAuth clientAuth,
    boolean plain) {}
