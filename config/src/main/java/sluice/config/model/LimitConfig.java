package sluice.config.model;

/**
 * How many requests of a rule pass.
 *
 * @param rate a second
 * @param burst at once, after a pause
 */
public record LimitConfig(int rate, int burst) implements PolicyConfig {}
