package sluice.config.model;

/**
 * Ejection of servers from their pool, and their return.
 *
 * @param failures consecutive failures, seen by all event loops together, that eject a server
 * @param slowMillis a slower reply counts as a failure; {@link LimitsConfig#NEVER} if none does
 * @param probeMillis interval of probes to a server whose ejection time is over
 * @param ejectFor ejection time: the minimum at first, doubled with each further ejection
 * @param maxEjectedPercent of the pool's servers, rounded down
 * @param rehash whether the other servers take the keys of an ejected one
 */
public record HealthConfig(
    int failures,
    long slowMillis,
    long probeMillis,
    DurationRange ejectFor,
    int maxEjectedPercent,
    boolean rehash) {}
