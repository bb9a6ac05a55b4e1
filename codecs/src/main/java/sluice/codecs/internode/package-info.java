/**
 * Messages of Cassandra nodes on their storage port: handshakes of versions 10 to 14, the framings,
 * message headers, and conversion between framings.
 *
 * <p>The facts come from Cassandra: {@code org.apache.cassandra.net} of 4.1.10, 5.0.9 and
 * 6.0-alpha2. Each type here names the classes. Not here: the meaning of a message's payload,
 * sockets, timeouts.
 */
@NullMarked
package sluice.codecs.internode;

import org.jspecify.annotations.NullMarked;
