package sluice.config.model;

/**
 * Rate limit for a rule's requests.
 *
 * @param rate requests per second
 * @param burst requests at once, after a pause
 */
public record LimitConfig(int rate, int burst) implements PolicyConfig {}
