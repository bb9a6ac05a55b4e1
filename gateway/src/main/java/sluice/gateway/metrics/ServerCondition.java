package sluice.gateway.metrics;

/**
 * Condition of a pool's server, over all event loops.
 *
 * @param usable whether it takes requests and is not ejected
 * @param ejections number of ejections since the process started
 */
public record ServerCondition(boolean usable, long ejections) {}
