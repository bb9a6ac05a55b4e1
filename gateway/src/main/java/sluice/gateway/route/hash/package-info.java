/**
 * Which server of a pool a key belongs to: hash functions over key bytes, and the distributions
 * that turn a hash into a server.
 *
 * <p>Here: arithmetic over bytes that lie in a buffer, compatible with twemproxy and libmemcached
 * where their names are used. Not here: whether that server is alive, failover, sockets.
 */
package sluice.gateway.route.hash;
