package sluice.config.model;

/**
 * Range of durations, both ends included, in milliseconds.
 *
 * @param leastMillis not above mostMillis
 */
public record DurationRange(long leastMillis, long mostMillis) {}
