/**
 * Replaces addresses of nodes in what nodes say to each other: in handshakes, in messages' params
 * and in the payloads that carry them, and in the control messages of streaming.
 *
 * <p>Payloads are read field by field, by verb and version, as Cassandra's own serialisers write
 * them in 4.1.10, 5.0.9 and 6.0-alpha2, and never searched for bytes that look like an address.
 * What does not parse to its exact end passes as it is, and is counted. Not here: frames, sockets.
 */
package sluice.codecs.internode.address;
