/**
 * What Cassandra's nodes say to each other on their storage port: handshakes of versions 10 to 14,
 * the framings, message headers, and turning one framing into another.
 *
 * <p>Facts are Cassandra's own: {@code org.apache.cassandra.net} of 4.1.10, 5.0.9 and 6.0-alpha2,
 * the classes that each type here names. Not here: what a message's payload means, sockets,
 * timeouts.
 */
package sluice.codecs.internode;
