package sluice.perf.simulation;

import java.net.InetSocketAddress;

/**
 * Listener of a gateway that leads to a Cassandra node.
 *
 * @param tls whether initiators need TLS
 */
record NodeListener(InetSocketAddress address, boolean tls) {}
