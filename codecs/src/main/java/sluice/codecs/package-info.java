/**
 * Bytes only: framers, views and rewriters of the protocols.
 *
 * <p>Here: how a message looks on the wire. Not here: sockets, threads, configuration, routing.
 */
package sluice.codecs;
