/**
 * Apache Ignite 2's variant of memcached's binary protocol, as its TCP REST connector speaks it:
 * typed keys and values, expiry in milliseconds, cache names, its own statuses. Also the primitives
 * and the compressed field of the messages between its nodes.
 *
 * <p>The facts were observed on a node of Ignite 2.18.0 ({@code GridTcpRestParser}, {@code
 * GridTcpMemcachedNioListener}, {@code DirectByteBufferStream}). Not here: the answers that a
 * memcached client gets in its own dialect.
 */
@NullMarked
package sluice.codecs.ignite;

import org.jspecify.annotations.NullMarked;
