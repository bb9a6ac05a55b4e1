package sluice.config.model;

/**
 * From one duration to another, both included, in milliseconds.
 *
 * @param leastMillis at most the other
 */
public record DurationRange(long leastMillis, long mostMillis) {}
