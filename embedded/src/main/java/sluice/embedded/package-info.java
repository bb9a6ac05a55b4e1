/**
 * The embedded store: a memcached inside the gateway's process, with every dialect and command,
 * whose answers are those of memcached 1.6.45 (protocols/memcached.md).
 *
 * <p>{@link sluice.embedded.EmbeddedStore} keeps the items, outside the heap; {@link
 * sluice.embedded.EmbeddedSession} executes one complete request after the other. Finding where a
 * request ends, permissions for commands, and authentication are the gateway's.
 */
@NullMarked
package sluice.embedded;

import org.jspecify.annotations.NullMarked;
