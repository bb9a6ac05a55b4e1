package sluice.ring;

import java.net.InetSocketAddress;

/**
 * One way through what stands between the nodes.
 *
 * @param listener where the other nodes connect to
 * @param node where the node itself listens
 */
record Link(InetSocketAddress listener, InetSocketAddress node) {}
