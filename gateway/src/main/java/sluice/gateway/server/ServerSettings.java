package sluice.gateway.server;

import io.vertx.core.net.SocketAddress;
import sluice.gateway.server.protocol.ServerLogin;
import sluice.gateway.tls.TlsConnector;

/**
 * What does not change while a server is in its pool; tls is null if it speaks without, login if
 * the pool has none. A connection that nothing was sent on for pingAfter says something; 0 if it
 * need not. A read is asked again retries times, as long as those are retryShare of all requests.
 * Where loops share connections, perEventLoop is how many all of them have together.
 */
public record ServerSettings(
    SocketAddress address,
    TlsConnector tls,
    ServerLogin login,
    int perEventLoop,
    int streams,
    long timeoutNanos,
    long queueTimeoutNanos,
    long connectTimeoutNanos,
    long probeAfterNanos,
    long idleNanos,
    long pingAfterNanos,
    int retries,
    double retryShare) {}
