/**
 * Replacement of node addresses in messages between nodes: in handshakes, in messages' params and
 * payloads, and in the control messages of streaming.
 *
 * <p>Payloads are read field by field, by verb and version, as Cassandra's own serialisers write
 * them in 4.1.10, 5.0.9 and 6.0-alpha2. They are never searched for bytes that look like an
 * address. A payload that does not parse to its exact end passes unchanged and is counted. Not
 * here: frames, sockets.
 */
@NullMarked
package sluice.codecs.internode.address;

import org.jspecify.annotations.NullMarked;
