package sluice.gateway.internode;

import io.vertx.core.net.SocketAddress;
import sluice.gateway.tls.TlsConnector;

/**
 * How a node is connected to.
 *
 * @param tls null if it speaks without
 */
public record Reach(SocketAddress address, TlsConnector tls) {}
