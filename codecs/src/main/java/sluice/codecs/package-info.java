/**
 * Framers, views and rewriters of the protocols: bytes only.
 *
 * <p>Here: how a message looks on the wire. Not here: sockets, threads, configuration, routing.
 */
@NullMarked
package sluice.codecs;

import org.jspecify.annotations.NullMarked;
