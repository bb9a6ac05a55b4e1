package sluice.config.model;

/**
 * Cache of replies inside the gateway.
 *
 * @param sizeBytes the most memory that it uses
 * @param ttlMillis the greatest age of its answers
 */
public record NearCacheConfig(long sizeBytes, long ttlMillis) implements PolicyConfig {}
