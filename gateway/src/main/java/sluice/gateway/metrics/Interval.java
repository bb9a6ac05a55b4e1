package sluice.gateway.metrics;

/**
 * What happened in one interval, over all event loops and memcached listeners.
 *
 * @param seconds length of the interval
 * @param requests requests that ended
 * @param errors those of them that ended with an error, were rejected, timed out or found no server
 * @param misses those of them that were answered with a miss
 * @param bytesIn bytes read from clients
 * @param bytesOut bytes written to clients
 * @param gatewayP50 p50 of the gateway latency in seconds; NaN without requests, like the others
 * @param gatewayP99 p99 of the gateway latency
 * @param requestP50 p50 of the request time
 * @param requestP99 p99 of the request time
 * @param inFlight requests without an answer, at the end of the interval
 * @param connections open clients, at the end of the interval
 * @param bufferedBytes bytes held for all connections, at the end of the interval
 */
public record Interval(
    double seconds,
    long requests,
    long errors,
    long misses,
    long bytesIn,
    long bytesOut,
    double gatewayP50,
    double gatewayP99,
    double requestP50,
    double requestP99,
    long inFlight,
    long connections,
    long bufferedBytes) {}
