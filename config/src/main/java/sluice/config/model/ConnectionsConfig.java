package sluice.config.model;

/**
 * Connections to each server of a pool.
 *
 * @param perEventLoop shared connections of one event loop to one server
 * @param streams how many exclusive connections may exist at once for large values
 * @param max shared connections of all event loops together to one server; 0: each event loop has
 *     its own
 * @param connectTimeoutMillis how long connecting may take
 * @param idleMillis after which an unused connection is closed; {@link LimitsConfig#NEVER} to keep
 *     it
 * @param probeAfterMillis delay before the next attempt to connect to an unreachable server
 */
public record ConnectionsConfig(
    int perEventLoop,
    int streams,
    int max,
    long connectTimeoutMillis,
    long idleMillis,
    long probeAfterMillis) {}
