/**
 * Both ends of links between Cassandra's nodes: handshakes, requests and answers, each checked. The
 * proxy that is between them is somebody else's.
 */
package sluice.load.internode;
