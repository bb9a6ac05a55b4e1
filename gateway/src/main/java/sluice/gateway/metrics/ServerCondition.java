package sluice.gateway.metrics;

/**
 * A server of a pool, over all event loops.
 *
 * @param usable whether it takes requests and is not ejected
 * @param ejections how often it was ejected since the process started
 */
public record ServerCondition(boolean usable, long ejections) {}
