package sluice.gateway.server;

import io.vertx.core.net.SocketAddress;
import sluice.gateway.server.protocol.ServerLogin;
import sluice.gateway.tls.TlsConnector;

/**
 * Settings of a server, which stay the same while it is in its pool. tls is null for none, login if
 * the pool has none. A connection that was silent for pingAfter sends a keep-alive; 0 for none. A
 * read is retried up to retries times, as long as retries are at most retryShare of all requests.
 * Where loops share connections, perEventLoop is the number of all of them together.
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
