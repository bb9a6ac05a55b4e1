package sluice.config.model;

/**
 * A cache of replies inside the gateway.
 *
 * @param sizeBytes how much memory it takes at most
 * @param ttlMillis how old what it answers may be
 */
public record NearCacheConfig(long sizeBytes, long ttlMillis) implements PolicyConfig {}
