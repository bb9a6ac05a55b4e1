/**
 * Both ends of links between Cassandra's nodes: handshakes, requests and answers, each verified.
 * The proxy between them is not part of it.
 */
@NullMarked
package sluice.load.internode;

import org.jspecify.annotations.NullMarked;
