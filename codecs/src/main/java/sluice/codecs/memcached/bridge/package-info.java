/**
 * Canonical requests and replies, with a reader and a writer of each for every dialect: n readers
 * and n writers make n times n bridges (docs/reference/bridging.md).
 *
 * <p>Not here: the ends of requests, replies and values in a stream; the bytes of values; the
 * choice of the server; and the request that a reply belongs to.
 */
@NullMarked
package sluice.codecs.memcached.bridge;

import org.jspecify.annotations.NullMarked;
