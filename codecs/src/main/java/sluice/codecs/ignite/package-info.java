/**
 * What Apache Ignite 2's TCP REST connector makes of memcached's binary protocol: typed keys and
 * values, expiry in milliseconds, names of caches, its own statuses; and the primitives and the
 * compressed field of the messages between its nodes.
 *
 * <p>Facts are Ignite 2.18.0's own ({@code GridTcpRestParser}, {@code GridTcpMemcachedNioListener},
 * {@code DirectByteBufferStream}) as a node answered. Not here: what a memcached client is answered
 * in its own dialect.
 */
package sluice.codecs.ignite;
