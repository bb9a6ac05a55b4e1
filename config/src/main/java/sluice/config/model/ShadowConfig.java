package sluice.config.model;

/**
 * A pool that gets copies of requests; its replies are compared with the others, and dropped.
 *
 * @param pool the name of one of {@link Configuration#pools()}
 * @param percent of the requests
 */
public record ShadowConfig(String pool, int percent) {}
