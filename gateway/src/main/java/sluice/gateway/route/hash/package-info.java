/**
 * Mapping of keys to the servers of a pool: hash functions over key bytes, and the distributions
 * that turn a hash into a server.
 *
 * <p>Here: arithmetic over bytes in a buffer, compatible with twemproxy and libmemcached where
 * their names are used. Not here: whether that server is alive, failover, sockets.
 */
@NullMarked
package sluice.gateway.route.hash;

import org.jspecify.annotations.NullMarked;
