package sluice.gateway.metrics;

/** Name of one series of discoveries: a pool's, with one result. */
record DiscoveryName(String pool, DiscoveryResult result) {}
