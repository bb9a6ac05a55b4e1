package sluice.config.model;

/**
 * The connections to each server of a pool.
 *
 * @param perEventLoop shared connections of one event loop to one server
 * @param streams how many more may be lent for large values at once
 * @param max shared connections of all event loops together to one server; 0: each has its own
 * @param connectTimeoutMillis how long connecting may take
 * @param idleMillis after which an unused connection is closed; {@link LimitsConfig#NEVER} if none
 *     is
 * @param probeAfterMillis how long a server that could not be reached is left alone
 */
public record ConnectionsConfig(
    int perEventLoop,
    int streams,
    int max,
    long connectTimeoutMillis,
    long idleMillis,
    long probeAfterMillis) {}
