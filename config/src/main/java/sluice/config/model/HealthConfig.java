package sluice.config.model;

/**
 * Ejection of servers from their pool, and their restoration.
 *
 * @param failures number of consecutive failures, in all event loops together, that ejects a server
 * @param slowMillis a slower reply counts as a failure; {@link LimitsConfig#NEVER} if none does
 * @param probeMillis interval of probes to a server whose ejection time is over
 * @param ejectFor ejection time: the minimum at first, doubled with each further ejection
 * @param maxEjectedPercent of the pool's servers, rounded down
 * @param rehash whether other servers take over the keys of an ejected server
 */
public record HealthConfig(
    int failures,
    long slowMillis,
    long probeMillis,
    DurationRange ejectFor,
    int maxEjectedPercent,
    boolean rehash) {}
