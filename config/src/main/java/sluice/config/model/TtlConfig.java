package sluice.config.model;

/**
 * Bounds of times to live. An item that has already expired is left unchanged.
 *
 * @param minMillis a shorter time to live becomes this; 0 for no bound
 * @param maxMillis a longer one, or none, becomes this; {@link LimitsConfig#NEVER} for no bound
 * @param jitterPercent the largest share by which a time to live is shortened at random
 */
public record TtlConfig(long minMillis, long maxMillis, int jitterPercent)
    implements PolicyConfig {}
