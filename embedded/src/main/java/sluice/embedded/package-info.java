/**
 * The embedded store: a memcached inside the gateway's process, every dialect and command,
 * answering as memcached 1.6.45 does (protocols/memcached.md).
 *
 * <p>{@link sluice.embedded.EmbeddedStore} keeps the items, outside the heap; {@link
 * sluice.embedded.EmbeddedSession} executes one complete request after the other. Finding where a
 * request ends, who may send which command, and authentication are the gateway's.
 */
package sluice.embedded;
