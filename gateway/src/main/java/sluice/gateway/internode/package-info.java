/**
 * Links between Cassandra nodes: two sockets for one connection, on one event loop. Not here: the
 * content of frames and messages (codecs), and which verbs a route removes (route).
 */
@NullMarked
package sluice.gateway.internode;

import org.jspecify.annotations.NullMarked;
