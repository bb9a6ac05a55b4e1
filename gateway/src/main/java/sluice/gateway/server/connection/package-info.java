/**
 * Single connections to servers: the queue of requests in flight, timeouts, pauses, keep-alive.
 *
 * <p>Not here: decoding of replies (protocol), making and assigning connections (server), the other
 * end of a pipe (shared).
 */
@NullMarked
package sluice.gateway.server.connection;

import org.jspecify.annotations.NullMarked;
