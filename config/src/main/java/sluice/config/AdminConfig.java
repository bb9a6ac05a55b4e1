package sluice.config;

/**
 * The admin port.
 *
 * @param bind where it listens
 * @param ready what {@code GET /ready} answers for
 */
public record AdminConfig(Address bind, Ready ready) {}
