package sluice.config.model;

/**
 * Settings particular to Ignite nodes.
 *
 * @param cacheName the cache that holds the items
 * @param counters how incr and decr are handled
 */
public record IgniteConfig(String cacheName, Counters counters) {}
