package sluice.config.model;

import java.util.Optional;

/**
 * The admin port.
 *
 * @param bind where it listens
 * @param ready what {@code GET /ready} answers for
 * @param tls towards those who connect; empty if it speaks plain HTTP
 * @param auth who may change the state of the process from elsewhere; empty if nobody may
 */
public record AdminConfig(
    Address bind,
    Ready ready,
    Optional<ListenerTlsConfig> tls,
    Optional<ListenerAuthConfig> auth) {}
