package sluice.config.model;

/**
 * What times to live may be. What has expired already is left as it is.
 *
 * @param minMillis what is to live shorter lives so long; 0 if it need not
 * @param maxMillis what is to live longer, or for ever, lives so long; {@link LimitsConfig#NEVER}
 *     if it may
 * @param jitterPercent by how much a time to live is shortened at most, at random
 */
public record TtlConfig(long minMillis, long maxMillis, int jitterPercent)
    implements PolicyConfig {}
