package sluice.config.model;

import java.util.Optional;

/**
 * Admin port.
 *
 * @param bind address that it listens on
 * @param ready what {@code GET /ready} reports on
 * @param tls TLS towards its clients; empty for plain HTTP
 * @param auth users who may change the process's state from other machines; empty if none may
 */
public record AdminConfig(
    Address bind,
    Ready ready,
    Optional<ListenerTlsConfig> tls,
    Optional<ListenerAuthConfig> auth) {}
