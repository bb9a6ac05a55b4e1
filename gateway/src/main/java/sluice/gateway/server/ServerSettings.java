package sluice.gateway.server;

import io.vertx.core.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import sluice.gateway.server.protocol.ServerLogin;
import sluice.gateway.tls.TlsConnector;

/**
 * Settings of a server, which stay the same while it is in its pool. address is null for a
 * placeholder, tls for none, login if the pool has none. A connection that was silent for pingAfter
 * sends a keep-alive; 0 for none. A read is retried up to retries times, as long as retries are at
 * most retryShare of all requests. Where loops share connections, perEventLoop is the number of all
 * of them together.
 */
public record ServerSettings(
    @Nullable SocketAddress address,
    @Nullable TlsConnector tls,
    @Nullable ServerLogin login,
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
