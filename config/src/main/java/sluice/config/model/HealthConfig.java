package sluice.config.model;

/**
 * When a server is taken out of its pool for a while, and how it comes back.
 *
 * @param failures so many in a row, seen by all event loops together, and it is ejected
 * @param slowMillis a reply that takes longer counts as a failure; {@link LimitsConfig#NEVER} if
 *     none does
 * @param probeMillis how often a server whose time is over is asked whether it is back
 * @param ejectFor how long it is out: the least at first, twice as long whenever it happens again
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
