/**
 * The embedded store: a memcached inside the gateway's process, with every dialect and command, and
 * with the replies of memcached 1.6.45 (protocols/memcached.md).
 *
 * <p>{@link sluice.embedded.EmbeddedStore} keeps the items, outside the heap; {@link
 * sluice.embedded.EmbeddedSession} executes one complete request after the other. The gateway finds
 * where a request ends, and is responsible for permissions and authentication.
 */
@NullMarked
package sluice.embedded;

import org.jspecify.annotations.NullMarked;
