package sluice.gateway.internode;

import io.vertx.core.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import sluice.gateway.tls.TlsConnector;

/**
 * Address and TLS of a node.
 *
 * @param tls null for none
 */
public record Reach(SocketAddress address, @Nullable TlsConnector tls) {}
