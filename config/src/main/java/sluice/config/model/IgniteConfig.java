package sluice.config.model;

/**
 * What is particular to Ignite nodes.
 *
 * @param cacheName the cache that holds the items
 * @param counters what becomes of incr and decr
 */
public record IgniteConfig(String cacheName, Counters counters) {}
